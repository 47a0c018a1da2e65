import type { FileHandle } from 'node:fs/promises';

import { ArchiveRefusal } from './archive-path.ts';

/** Random access to a file, fast for small reads close to each other. */
export class BufferedFileReader {
  readonly size: number;
  readonly #file: FileHandle;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Exactly these bytes, which later reads do not change. At most `windowBytes` at once. */
  async read(position: number, length: number): Promise<Buffer> {
    if (position < 0 || position + length > this.size) {
      throw new ArchiveRefusal('damaged', 'The archive ends too early.');
    }
    if (position < this.#start || position + length > this.#start + this.#bytes.length) {
      await this.#move(position);
    }
    const from = position - this.#start;
    return this.#bytes.subarray(from, from + length);
  }

  /** A new buffer each time, since earlier results are views of the old one. */
  async #move(position: number): Promise<void> {
    const bytes = Buffer.allocUnsafe(Math.min(windowBytes, this.size - position));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#file.read(
        bytes,
        filled,
        bytes.length - filled,
        position + filled,
      );
      if (bytesRead === 0) throw new Error('The archive was truncated while it was read.');
      filled += bytesRead;
    }
    this.#bytes = bytes;
    this.#start = position;
  }
}

export const windowBytes = 1024 * 1024;
