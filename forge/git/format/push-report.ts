import { PacketSplitter, flushPacket, formatPacket, readPackets } from './pkt-line.ts';
import type { Packet } from './pkt-line.ts';

/**
 * The output of `git receive-pack`: progress, which is sent at once, and the report of which refs
 * moved, which is held until the moves are recorded.
 */
export class PushReport {
  readonly #sideband: boolean;
  /** The path of the repository, which must not reach the client. */
  readonly #path: Buffer;
  readonly #splitter = new PacketSplitter();
  readonly #held: Buffer[] = [];
  readonly #report: Buffer[] = [];

  constructor(sideband: boolean, path: string) {
    this.#sideband = sideband;
    this.#path = Buffer.from(`${path}/`);
  }

  /** Takes output of git; returns what may be sent to the client now. */
  take(chunk: Buffer): Buffer {
    if (!this.#sideband) {
      this.#held.push(chunk);
      this.#report.push(chunk);
      return Buffer.alloc(0);
    }
    this.#splitter.push(chunk);
    const passed: Buffer[] = [];
    for (let packet = this.#splitter.next(); packet; packet = this.#splitter.next()) {
      if (this.#isReport(packet)) this.#hold(packet);
      else passed.push(formatAgain(this.#withoutPath(packet)));
    }
    return Buffer.concat(passed);
  }

  held(): Buffer {
    return Buffer.concat([...this.#held, this.#splitter.rest()]);
  }

  /** The refs that git says it moved; undefined when it made no report. */
  acceptedRefs(): ReadonlySet<string> | undefined {
    const lines = readPackets(Buffer.concat(this.#report)).map((line) => line.toString().trimEnd());
    if (!lines.some((line) => line.startsWith('unpack '))) return undefined;
    return new Set(lines.filter((line) => line.startsWith('ok ')).map((line) => line.slice(3)));
  }

  /**
   * The report is band 1. git also sends it empty, every five seconds, to keep the connection
   * alive.
   */
  #isReport(packet: Packet): boolean {
    return packet.kind === 'mark' || (packet.content[0] === 1 && packet.content.length > 1);
  }

  /** git's error messages contain paths of its files. */
  #withoutPath(packet: Packet): Packet {
    if (packet.kind === 'mark' || !packet.content.includes(this.#path)) return packet;
    const text = packet.content.toString('latin1').replaceAll(this.#path.toString('latin1'), '');
    return { ...packet, content: Buffer.from(text, 'latin1') };
  }

  #hold(packet: Packet): void {
    this.#held.push(formatAgain(packet));
    if (packet.kind === 'content') this.#report.push(packet.content.subarray(1));
  }
}

function formatAgain(packet: Packet): Buffer {
  return packet.kind === 'mark' ? flushPacket : formatPacket(packet.content);
}
