import { type Clock, systemClock } from '#platform/clock.ts';

/** A clock that tests set: it is stopped, or runs on from where they put it. */
export class TestClock implements Clock {
  #state: { readonly stoppedAt: number } | { readonly ahead: number } = { ahead: 0 };

  now(): number {
    return 'stoppedAt' in this.#state
      ? this.#state.stoppedAt
      : systemClock.now() + this.#state.ahead;
  }

  hostNow(): number {
    return systemClock.now();
  }

  get stopped(): boolean {
    return 'stoppedAt' in this.#state;
  }

  /** Sets it, to stop it or to let it run on. */
  set(now: number, running: boolean): void {
    this.#state = running ? { ahead: now - systemClock.now() } : { stoppedAt: now };
  }

  advance(milliseconds: number): void {
    this.#state =
      'stoppedAt' in this.#state
        ? { stoppedAt: this.#state.stoppedAt + milliseconds }
        : { ahead: this.#state.ahead + milliseconds };
  }

  /** Is stopped at a time during the work, and is afterwards as if that had not been. */
  async stoppedDuring<T>(time: number, work: () => Promise<T>): Promise<T> {
    const before = this.#state;
    this.#state = { stoppedAt: time };
    try {
      return await work();
    } finally {
      this.#state = before;
    }
  }

  /** From now on it is the clock of the host again. */
  release(): void {
    this.#state = { ahead: 0 };
  }
}
