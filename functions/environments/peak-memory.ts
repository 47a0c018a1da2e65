import type { RunningProgram } from '../launcher/launcher.ts';

/**
 * Age that a reading of a program's memory may have after a short invocation: asking the launcher at every one would cost more
 * than a short function.
 */
const freshMilliseconds = 250;

/**
 * Invocation that counts as short; after a longer one, memory is always read: the request costs little in comparison, and
 * memory use may well have grown.
 */
const shortMilliseconds = 10;

/** The peak memory of a program, in bytes; it only grows, so an old reading is at worst a little low. */
export class PeakMemory {
  #program: RunningProgram | undefined;
  #readAt = 0;
  #bytes = 0;

  /** The last reading, unless it is out of date. `milliseconds` is the duration of the invocation just completed. */
  known(program: RunningProgram | undefined, milliseconds: number): number | undefined {
    if (program !== this.#program || milliseconds >= shortMilliseconds) return undefined;
    return performance.now() - this.#readAt < freshMilliseconds ? this.#bytes : undefined;
  }

  async read(program: RunningProgram | undefined): Promise<number> {
    if (!program) return this.#bytes;
    this.#program = program;
    this.#readAt = performance.now();
    // If the launcher has died, the last reading remains.
    this.#bytes = await program.peakMemory().catch(() => this.#bytes);
    return this.#bytes;
  }
}
