import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';

/** Of the invocations of a function that follow the first of a second. */
const fraction = 0.05;
/** Functions whose last second is remembered. */
const functionsMax = 2000;

/** Chooses the invocations to be traced: the first of each function in a second, and one in twenty of the others. */
export class Sampler {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #seconds = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  chooses(functionName: string): boolean {
    const second = Math.floor(this.#clock.now() / 1000);
    if (this.#seconds.get(functionName) === second) return this.#random.fraction() < fraction;
    if (this.#seconds.size >= functionsMax) this.#seconds.clear();
    this.#seconds.set(functionName, second);
    return true;
  }
}
