/** Time after which a process was in order: when it dies it is started again at once, which costs little so seldom. */
const stableMilliseconds = 5000;
/** First pause before the git process or the launcher is started again; each further one is twice as long. */
const pauseMillisecondsMin = 250;
/** Longest pause before the git process or the launcher is started again. */
const pauseMillisecondsMax = 2000;

/** How long to wait before a process that died is started again: longer each time, and never long. */
export class RestartBackoff {
  readonly #now: () => number;
  /** Deaths and failed starts since it was last in order. */
  #failures = 0;
  #startedAt: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The process runs. */
  started(): void {
    this.#startedAt = this.#now();
  }

  /** The process died, or did not start; the response is in milliseconds. */
  failed(): number {
    const ran = this.#startedAt === undefined ? 0 : this.#now() - this.#startedAt;
    this.#startedAt = undefined;
    if (ran > stableMilliseconds) this.#failures = 0;
    this.#failures += 1;
    if (this.#failures === 1) return 0;
    return Math.min(pauseMillisecondsMin * 2 ** (this.#failures - 2), pauseMillisecondsMax);
  }
}
