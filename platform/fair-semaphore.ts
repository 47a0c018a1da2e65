/**
 * Runs at most so many pieces of work at the same time, and of one owner at most `ofOneMax`. A slot goes to the owner that has the
 * fewest, and to the first in order among those.
 */
export class FairSemaphore {
  readonly #waiting: { readonly owner: string; readonly start: () => void }[] = [];
  readonly #running = new Map<string, number>();
  readonly #ofOneMax: number;
  #free: number;

  constructor(slots: number, ofOneMax: number) {
    this.#free = slots;
    this.#ofOneMax = ofOneMax;
  }

  /** Work begins at once where there is a slot for its owner. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0 && this.#runningOf(owner) < this.#ofOneMax) this.#take(owner);
    else await new Promise<void>((start) => this.#waiting.push({ owner, start }));
    try {
      return await work();
    } finally {
      this.#release(owner);
    }
  }

  #runningOf(owner: string): number {
    return this.#running.get(owner) ?? 0;
  }

  #take(owner: string): void {
    this.#free -= 1;
    this.#running.set(owner, this.#runningOf(owner) + 1);
  }

  #release(owner: string): void {
    this.#free += 1;
    const left = this.#runningOf(owner) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    const next = this.#next();
    if (next === undefined) return;
    const [waiter] = this.#waiting.splice(next, 1);
    if (!waiter) return;
    this.#take(waiter.owner);
    waiter.start();
  }

  /** Whose turn it is, as an index of those that wait. */
  #next(): number | undefined {
    let next: number | undefined;
    let fewest = this.#ofOneMax;
    for (const [index, { owner }] of this.#waiting.entries()) {
      const running = this.#runningOf(owner);
      if (running >= fewest) continue;
      [next, fewest] = [index, running];
      if (running === 0) break;
    }
    return next;
  }
}
