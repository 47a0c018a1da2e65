import type { RunningProgram } from '../launcher/launcher.ts';

/** Milliseconds for which a reading is good: asking the launcher at every invocation would cost more than a short function. */
const freshMilliseconds = 250;
/** An invocation that took longer can afford the question, and may well have made the program grow. */
const shortMilliseconds = 10;

/** The most memory that a program has used, in bytes; it only grows, so an old reading is merely a little low. */
export class PeakMemory {
  #program: RunningProgram | undefined;
  #readAt = 0;
  #bytes = 0;

  /** After an invocation that took so long. */
  async read(program: RunningProgram | undefined, milliseconds: number): Promise<number> {
    const now = performance.now();
    const fresh = milliseconds < shortMilliseconds && now - this.#readAt < freshMilliseconds;
    if (!program || (program === this.#program && fresh)) return this.#bytes;
    this.#program = program;
    this.#readAt = now;
    // A launcher that has died knows nothing any more: what was read last stands.
    this.#bytes = await program.peakMemory().catch(() => this.#bytes);
    return this.#bytes;
  }
}
