import { open, type FileHandle } from 'node:fs/promises';

import { fullSuffix, lineBytesMax, orMissing, statOf } from './log-files.ts';

/** A stored line of a log. */
export interface LogLine {
  /** When it was logged, epoch milliseconds. */
  readonly at: number;
  /** Name of the stream. */
  readonly stream: string;
  readonly text: string;
}

interface Sized {
  readonly ino: number;
  readonly size: number;
}

const pieceBytes = 64 * 1024;

/** The offset of a line such that every line before it is older than `since`, by binary search. */
async function offsetBefore(file: FileHandle, size: number, since: number): Promise<number> {
  if (since <= 0) return 0;
  let from = 0;
  let to = size;
  while (to - from > 2 * lineBytesMax) {
    const middle = Math.floor((from + to) / 2);
    const piece = Buffer.alloc(lineBytesMax);
    const { bytesRead } = await file.read(piece, 0, piece.length, middle);
    const start = piece.subarray(0, bytesRead).indexOf('\n') + 1;
    const at = Number(/^\d+(?= )/.exec(piece.toString('latin1', start, start + 20))?.[0]);
    if (start > 0 && at < since) from = middle + start;
    else to = middle;
  }
  return from;
}

async function pieceOf(file: FileHandle, at: number, size: number): Promise<Buffer> {
  const piece = Buffer.alloc(Math.min(pieceBytes, size - at));
  const { bytesRead } = await file.read(piece, 0, piece.length, at);
  return piece.subarray(0, bytesRead);
}

/** Reads a stream from the end of the last read, even if its file was rotated meanwhile. */
export class StreamReader {
  readonly #path: string;
  readonly #stream: string;
  /** The inode of the file that was read last, and the offset. */
  #ino: number | undefined;
  #offset = 0;
  readonly #since: number;

  /** Lines before `since` may be omitted, which saves reading them. */
  constructor(path: string, stream: string, since = 0) {
    this.#path = path;
    this.#stream = stream;
    this.#since = since;
  }

  /** The complete lines written since. */
  async *newLines(): AsyncGenerator<LogLine> {
    const current = await statOf(this.#path);
    if (!current) return;
    if (current.ino !== this.#ino) {
      const full = await statOf(`${this.#path}${fullSuffix}`);
      if (full && (this.#ino === undefined || full.ino === this.#ino)) {
        yield* this.#linesOf(full);
      }
      this.#ino = current.ino;
      this.#offset = 0;
    }
    if (current.size > this.#offset) yield* this.#linesOf(current);
  }

  /**
   * No file is open while a line is yielded: the caller need not close the generator, and garbage collection of an open file ends the
   * process (https://nodejs.org/api/deprecations.html, DEP0137).
   */
  async *#linesOf({ ino, size }: Sized): AsyncGenerator<LogLine> {
    if (this.#offset === 0) {
      this.#offset =
        (await this.#opened(ino, (file) => offsetBefore(file, size, this.#since))) ?? 0;
    }
    let at = this.#offset;
    let rest: Buffer = Buffer.alloc(0);
    while (at < size) {
      const piece = await this.#opened(ino, (file) => pieceOf(file, at, size));
      if (!piece || piece.length === 0) return;
      at += piece.length;
      rest = Buffer.concat([rest, piece]);
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const line = this.#lineOf(rest.toString('utf8', 0, end));
        rest = rest.subarray(end + 1);
        this.#offset = at - rest.length;
        if (line) yield line;
      }
    }
  }

  /** Opens the file by either of its names: it may have been rotated since. Undefined when it has been removed. */
  async #opened<T>(ino: number, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
    for (const path of [this.#path, `${this.#path}${fullSuffix}`]) {
      await using file = await orMissing(open(path, 'r'));
      if (file && (await file.stat()).ino === ino) return await use(file);
    }
    return undefined;
  }

  /** Undefined for a line that a crash truncated. */
  #lineOf(stored: string): LogLine | undefined {
    const space = stored.indexOf(' ');
    const at = Number(stored.slice(0, space));
    if (space < 1 || !Number.isSafeInteger(at)) return undefined;
    return { at, stream: this.#stream, text: stored.slice(space + 1) };
  }
}

/** The times of the first and the last line of a stream, epoch milliseconds. */
interface StreamTimes {
  readonly first: number;
  readonly last: number;
}

/** Undefined while the stream has no line. */
export async function streamTimes(path: string): Promise<StreamTimes | undefined> {
  const full = `${path}${fullSuffix}`;
  const first = await timesIn((await statOf(full)) ? full : path, 'first');
  const last = (await timesIn(path, 'last')) ?? (await timesIn(full, 'last'));
  return first === undefined || last === undefined ? undefined : { first, last };
}

async function timesIn(path: string, which: 'first' | 'last'): Promise<number | undefined> {
  const found = await statOf(path);
  if (!found || found.size === 0) return undefined;
  const file = await open(path, 'r');
  try {
    const length = which === 'first' ? 32 : Math.min(found.size, lineBytesMax);
    const piece = Buffer.alloc(length);
    const { bytesRead } = await file.read(
      piece,
      0,
      length,
      which === 'first' ? 0 : found.size - length,
    );
    const text = piece.toString('latin1', 0, bytesRead);
    const line = which === 'first' ? text : text.slice(text.trimEnd().lastIndexOf('\n') + 1);
    const at = Number(/^\d+(?= )/.exec(line)?.[0]);
    return Number.isSafeInteger(at) ? at : undefined;
  } finally {
    await file.close();
  }
}
