/** Bytes that have arrived from a batch process and were not yet read. */
export class ByteQueue {
  #chunks: Buffer[] = [];
  #length = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes exactly so many bytes, or undefined while fewer are there. */
  take(count: number): Buffer | undefined {
    if (this.#length < count) return undefined;
    const all = this.#joined();
    this.#setRest(all.subarray(count));
    return all.subarray(0, count);
  }

  /** Drops what is there of so many bytes; returns how many are still to come. */
  drop(count: number): number {
    let left = count;
    for (let chunk = this.#chunks[0]; chunk && left > 0; chunk = this.#chunks[0]) {
      const dropped = Math.min(left, chunk.length);
      if (dropped === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(dropped);
      this.#length -= dropped;
      left -= dropped;
    }
    return left;
  }

  /**
   * Takes the text before a delimiter byte and drops the delimiter, or undefined while there is
   * none.
   */
  takeUntil(delimiter: number): Buffer | undefined {
    if (this.#length === 0) return undefined;
    const all = this.#joined();
    const end = all.indexOf(delimiter);
    if (end === -1) return undefined;
    this.#setRest(all.subarray(end + 1));
    return all.subarray(0, end);
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    const all =
      first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #setRest(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }
}
