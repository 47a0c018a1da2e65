import type { RunningProgram } from '../launcher/launcher.ts';

/** How long a reading is valid, in milliseconds: asking the launcher at every invocation would cost more than a short function. */
const freshMilliseconds = 250;

/** After a longer invocation the request costs little in comparison, and memory use may well have grown. */
const shortMilliseconds = 10;

/** The peak memory of a program, in bytes; it only grows, so an old reading is at worst a little low. */
export class PeakMemory {
  #program: RunningProgram | undefined;
  #readAt = 0;
  #bytes = 0;

  /** `milliseconds` is the duration of the invocation just completed. */
  async read(program: RunningProgram | undefined, milliseconds: number): Promise<number> {
    const now = performance.now();
    const fresh = milliseconds < shortMilliseconds && now - this.#readAt < freshMilliseconds;
    if (!program || (program === this.#program && fresh)) return this.#bytes;
    this.#program = program;
    this.#readAt = now;
    // If the launcher has died, the last reading remains.
    this.#bytes = await program.peakMemory().catch(() => this.#bytes);
    return this.#bytes;
  }
}
