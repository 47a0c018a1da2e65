import { logTailBytesMax } from '#functions-contract/limits.ts';

/** The last bytes of a text that grows; what cannot be among them is let go. */
export class LogTail {
  readonly #lines: string[] = [];
  #characters = 0;

  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length + 1;
    // A character takes a byte or more: enough of them after a line push it out.
    if (this.#characters > forgetCharacters) this.#forget();
  }

  take(): Buffer {
    const all = Buffer.from(this.#lines.map((line) => `${line}\n`).join(''));
    return all.subarray(Math.max(0, all.length - logTailBytesMax));
  }

  #forget(): void {
    let dropped = 0;
    let left = this.#characters;
    for (const line of this.#lines) {
      if (left - line.length - 1 < logTailBytesMax) break;
      left -= line.length + 1;
      dropped += 1;
    }
    this.#lines.splice(0, dropped);
    this.#characters = left;
  }
}

/** Looked at now and then only, so that a line costs no copy of the others. */
const forgetCharacters = 4 * logTailBytesMax;
