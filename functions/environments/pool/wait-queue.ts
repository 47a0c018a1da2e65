/** Whoever waits, in lines, each in the order in which they came. */
export class WaitQueue<Line, Waiter extends { readonly arrival: number }> {
  readonly #lines = new Map<Line, Waiter[]>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  length(line: Line): number {
    return this.#lines.get(line)?.length ?? 0;
  }

  /** Whoever comes back has the place again that the first arrival gave. */
  add(line: Line, waiter: Waiter): void {
    const waiters = this.#lines.get(line);
    if (!waiters) {
      this.#lines.set(line, [waiter]);
      return;
    }
    const before = waiters.findLastIndex(({ arrival }) => arrival < waiter.arrival);
    waiters.splice(before + 1, 0, waiter);
  }

  /** By position; 0 is the head. */
  at(line: Line, position: number): Waiter | undefined {
    return this.#lines.get(line)?.[position];
  }

  /** Takes the head of a line out. */
  shift(line: Line): Waiter | undefined {
    const waiters = this.#lines.get(line);
    const waiter = waiters?.shift();
    if (waiters?.length === 0) this.#lines.delete(line);
    return waiter;
  }

  /**
   * The line that is served next: in each line `position` says whose turn it is (undefined: nobody's), and of those whoever came
   * first is served.
   */
  next(position: (line: Line) => number | undefined): Line | undefined {
    let oldest: { readonly arrival: number; readonly line: Line } | undefined;
    for (const [line, waiters] of this.#lines) {
      const at = position(line);
      const waiter = at === undefined ? undefined : waiters[at];
      if (waiter && (!oldest || waiter.arrival < oldest.arrival)) {
        oldest = { arrival: waiter.arrival, line };
      }
    }
    return oldest?.line;
  }

  /** Takes everybody in some of the lines out, whoever came first first. */
  takeAll(isConcerned: (line: Line) => boolean = () => true): Waiter[] {
    const taken = [...this.#lines].filter(([line]) => isConcerned(line));
    for (const [line] of taken) this.#lines.delete(line);
    return taken
      .flatMap(([, waiters]) => waiters)
      .toSorted((one, other) => one.arrival - other.arrival);
  }
}
