import { Histogram, type Registry } from 'prom-client';

type Value = Awaited<ReturnType<Histogram<'service' | 'le'>['get']>>['values'][number];

/** The durations of one service. */
class Durations {
  /** In each bucket alone; the last is above all bounds. */
  readonly buckets: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.buckets = bounds.map(() => 0).concat(0);
  }

  add(seconds: number): void {
    let index = 0;
    while (seconds > (this.#bounds[index] ?? Infinity)) index += 1;
    this.buckets[index] = (this.buckets[index] ?? 0) + 1;
    this.sum += seconds;
  }
}

/**
 * A histogram of one label whose observations cost a few additions: that of the library looks the labels up each time, and this is
 * done for every request.
 */
export class DurationHistogram extends Histogram<'service' | 'le'> {
  /** Only says what kind of metric it is. */
  readonly #described: Histogram;
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #services = new Map<string, Durations>();

  constructor(name: string, help: string, bounds: readonly number[], registry: Registry) {
    super({ name, help, registers: [registry] });
    this.#described = new Histogram({ name, help, registers: [] });
    this.#name = name;
    this.#bounds = bounds;
  }

  ofService(service: string): Durations {
    const known = this.#services.get(service);
    if (known) return known;
    const durations = new Durations(this.#bounds);
    this.#services.set(service, durations);
    return durations;
  }

  /** What the registry calls for its text; `get` calls it as well. */
  async getForPromString(): ReturnType<Histogram<'service' | 'le'>['get']> {
    return { ...(await this.#described.get()), values: this.#values() };
  }

  #values(): Value[] {
    const values: Value[] = [];
    for (const [service, { buckets, sum }] of this.#services) {
      let count = 0;
      for (const [index, inBucket] of buckets.entries()) {
        count += inBucket;
        const le = this.#bounds[index] ?? '+Inf';
        values.push({ labels: { service, le }, value: count, metricName: `${this.#name}_bucket` });
      }
      values.push({ labels: { service }, value: sum, metricName: `${this.#name}_sum` });
      values.push({ labels: { service }, value: count, metricName: `${this.#name}_count` });
    }
    return values;
  }
}
