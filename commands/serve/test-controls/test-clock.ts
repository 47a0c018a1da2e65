import { type Clock, systemClock } from '#platform/clock.ts';

/** A clock that tests set: it stands still, or runs on from where they put it. */
export class TestClock implements Clock {
  #state: { readonly standsAt: number } | { readonly ahead: number } = { ahead: 0 };

  now(): number {
    return 'standsAt' in this.#state ? this.#state.standsAt : systemClock.now() + this.#state.ahead;
  }

  hostNow(): number {
    return systemClock.now();
  }

  get stands(): boolean {
    return 'standsAt' in this.#state;
  }

  /** Sets it, to stand still or to run on. */
  set(now: number, running: boolean): void {
    this.#state = running ? { ahead: now - systemClock.now() } : { standsAt: now };
  }

  advance(milliseconds: number): void {
    this.#state =
      'standsAt' in this.#state
        ? { standsAt: this.#state.standsAt + milliseconds }
        : { ahead: this.#state.ahead + milliseconds };
  }

  /** Stands at a time during the work, and is afterwards as if that had not been. */
  async standsDuring<T>(time: number, work: () => Promise<T>): Promise<T> {
    const before = this.#state;
    this.#state = { standsAt: time };
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
