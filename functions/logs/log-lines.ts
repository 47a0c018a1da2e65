const newline = 10;

/** A longer line is cut: a program that never ends one must not fill the memory of the server. */
const lineBytesMax = 256 * 1024;

/** Cuts what a program prints into lines, whatever pieces it comes in. */
export class LogLines {
  #begun: Buffer = nothing;

  /** The lines that have ended by now, without their newlines. */
  take(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let rest = this.#begun.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#begun, bytes]);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      lines.push(rest.toString('utf8', 0, end));
      rest = rest.subarray(end + 1);
    }
    for (; rest.length > lineBytesMax; rest = rest.subarray(lineBytesMax)) {
      lines.push(rest.toString('utf8', 0, lineBytesMax));
    }
    this.#begun = rest;
    return lines;
  }

  /** Ends the line that has begun, if one has. */
  end(): string[] {
    if (this.#begun.length === 0) return [];
    const line = this.#begun.toString();
    this.#begun = nothing;
    return [line];
  }
}

const nothing = Buffer.alloc(0);
