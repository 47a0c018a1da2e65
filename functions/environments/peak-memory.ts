import type { RunningProgram } from '../launcher/launcher.ts';

/** Milliseconds for which a reading is good: asking the launcher at every invocation would cost more than a short function. */
const freshMilliseconds = 50;

/** The most memory that a program has used, in bytes; it only grows, so an old reading is merely a little low. */
export class PeakMemory {
  #program: RunningProgram | undefined;
  #readAt = 0;
  #bytes = 0;

  async read(program: RunningProgram | undefined): Promise<number> {
    const now = performance.now();
    if (!program || (program === this.#program && now - this.#readAt < freshMilliseconds)) {
      return this.#bytes;
    }
    this.#program = program;
    this.#readAt = now;
    this.#bytes = await program.peakMemory();
    return this.#bytes;
  }
}
