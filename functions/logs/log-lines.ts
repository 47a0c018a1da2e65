const newline = 10;

/**
 * Line that a function or an extension prints; a longer one is split: a program that never ends a line must not fill the
 * server's memory.
 */
const lineBytesMax = 256 * 1024;

/** Splits a program's output into lines, independent of its chunks. */
export class LogLines {
  #partialLine: Buffer = nothing;

  /** The lines that are complete now, without their newlines. */
  take(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let rest =
      this.#partialLine.length === 0
        ? Buffer.from(bytes)
        : Buffer.concat([this.#partialLine, bytes]);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      lines.push(rest.toString('utf8', 0, end));
      rest = rest.subarray(end + 1);
    }
    for (; rest.length > lineBytesMax; rest = rest.subarray(lineBytesMax)) {
      lines.push(rest.toString('utf8', 0, lineBytesMax));
    }
    this.#partialLine = rest;
    return lines;
  }

  /** Ends an incomplete line, if there is one. */
  end(): string[] {
    if (this.#partialLine.length === 0) return [];
    const line = this.#partialLine.toString();
    this.#partialLine = nothing;
    return [line];
  }
}

const nothing = Buffer.alloc(0);
