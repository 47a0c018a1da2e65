import { ArchiveRefusal } from '../archives/archive-path.ts';

/** Reads a stream in lengths that the reader chooses. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** Exactly this many; undefined when the stream ends before the first. */
  async read(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      const part = await this.#take(missing);
      if (!part && missing === length) return undefined;
      if (!part) throw endsTooEarly();
      parts.push(part);
      missing -= part.length;
    }
    const [first, ...others] = parts;
    return first && others.length === 0 ? first : Buffer.concat(parts);
  }

  /** The same in chunks. */
  async *pieces(length: number): AsyncGenerator<Buffer> {
    let missing = length;
    while (missing > 0) {
      const part = await this.#take(missing);
      if (!part) throw endsTooEarly();
      missing -= part.length;
      yield part;
    }
  }

  async skip(length: number): Promise<void> {
    const pieces = this.pieces(length);
    while (!(await pieces.next()).done);
  }

  /** Reads and discards the rest. */
  async drain(): Promise<void> {
    while (await this.#take(Number.MAX_SAFE_INTEGER));
  }

  /** Some bytes, at most this many; undefined at the end. */
  async #take(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}

function endsTooEarly(): ArchiveRefusal {
  return new ArchiveRefusal('damaged', 'A layer of the image ends too early.');
}
