/**
 * Bytes that arrive in chunks of any size. They are copied into one buffer that doubles: a program that sends single bytes must cause
 * neither a list entry for each nor a copy of everything before it.
 */
export class GrowingBytes {
  #buffer: Buffer = empty;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2, smallest));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = needed;
  }

  /** All of it, without a copy; this one is empty afterwards. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#buffer = empty;
    this.#length = 0;
    return bytes;
  }

  /** A view that the next `append` makes stale. */
  view(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

const empty = Buffer.alloc(0);
const smallest = 512;
