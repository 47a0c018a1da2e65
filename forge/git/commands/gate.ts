/** Lets so many pieces of work run at once; the others wait in order. */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
