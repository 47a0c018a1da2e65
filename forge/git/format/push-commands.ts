import { expectObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { MalformedPacket, PacketSplitter } from './pkt-line.ts';

/** A ref that a push asks to move. */
export interface PushCommand {
  readonly old: ObjectId;
  readonly new: ObjectId;
  /** As the client wrote it: not validated. */
  readonly name: string;
  /** The bytes of the name, where it is not UTF-8. */
  readonly nameBytes: Buffer;
}

/** The beginning of a push: its commands and every byte read so far. */
export interface PushCommands {
  readonly commands: readonly PushCommand[];
  readonly capabilities: ReadonlySet<string>;
  readonly bytes: Buffer;
  /** Why the push is refused as a whole. */
  readonly refusal: string | undefined;
}

/** Refs of one push. */
const commandsMax = 10_000;
/** Commits that a push from a shallow clone names as the ends of its history. */
const shallowMax = 100_000;
/** Bytes of a ref name that are read of a push; a valid name has 244 at most. */
const nameBytesMax = 1000;

/**
 * Reads the command list of a push, up to its end mark. git reads the same bytes afterwards; this
 * is only to know which refs are asked for, so that refusals can be explained and moves recorded.
 */
export async function readPushCommands(chunks: AsyncIterator<Buffer>): Promise<PushCommands> {
  const reader = new CommandReader();
  const splitter = new PacketSplitter();
  const read: Buffer[] = [];
  let refusal: string | undefined;
  try {
    reading: for (;;) {
      for (let packet = splitter.next(); packet; packet = splitter.next()) {
        if (packet.kind === 'mark') break reading;
        refusal = reader.take(packet.content);
        if (refusal !== undefined) break reading;
      }
      const next = await chunks.next();
      if (next.done) break;
      read.push(next.value);
      splitter.push(next.value);
    }
  } catch (error) {
    if (!(error instanceof MalformedPacket)) throw error;
    refusal = `Invalid push: ${error.message}.`;
  }
  const { commands, capabilities } = reader;
  return { commands, capabilities, bytes: Buffer.concat(read), refusal };
}

class CommandReader {
  readonly commands: PushCommand[] = [];
  capabilities: ReadonlySet<string> = new Set();
  #shallow = 0;
  readonly #names = new Set<string>();

  /** Takes one line; gives a reason to refuse the whole push. */
  take(line: Buffer): string | undefined {
    const start = line.toString('latin1', 0, 9);
    if (start.startsWith('shallow ')) return this.#takeShallow();
    if (start === 'push-cert') return 'Signed pushes are not supported.';
    if (this.commands.length === commandsMax) {
      return `A push may change at most ${commandsMax} refs; push in several steps.`;
    }
    const end = line.indexOf(0);
    if (this.commands.length === 0 && end !== -1) {
      const fields = line
        .toString('utf8', end + 1)
        .trim()
        .split(' ');
      this.capabilities = new Set(fields);
    }
    return this.#takeCommand(end === -1 ? withoutNewline(line) : line.subarray(0, end));
  }

  /** They are held with the commands until all have come. */
  #takeShallow(): string | undefined {
    this.#shallow += 1;
    if (this.#shallow <= shallowMax) return undefined;
    return `A push from a shallow clone may name at most ${shallowMax} shallow commits; fetch with --unshallow first.`;
  }

  #takeCommand(command: Buffer): string | undefined {
    const ids = /^([0-9a-f]{40}) ([0-9a-f]{40}) /.exec(command.toString('latin1', 0, 82));
    if (!ids) throw new MalformedPacket('a command lacks a ref or object ids');
    const nameBytes = command.subarray(82);
    if (nameBytes.length > nameBytesMax) {
      return `A branch or tag name may be at most ${nameBytesMax} bytes long.`;
    }
    const name = nameBytes.toString();
    this.commands.push({
      old: expectObjectId(ids[1]),
      new: expectObjectId(ids[2]),
      name,
      nameBytes,
    });
    // git's report has only names: which of the two moves it made would not be known.
    if (this.#names.has(name)) return `A push may name ${name} only once.`;
    this.#names.add(name);
    return undefined;
  }
}

function withoutNewline(line: Buffer): Buffer {
  return line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
}
