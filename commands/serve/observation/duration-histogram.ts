import { Histogram, type Registry } from 'prom-client';

type Value = Awaited<ReturnType<Histogram<'service' | 'le'>['get']>>['values'][number];

interface Counts {
  /** Durations in each bucket alone; the last is above all bounds. */
  readonly buckets: number[];
  sum: number;
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
  readonly #services = new Map<string, Counts>();

  constructor(name: string, help: string, bounds: readonly number[], registry: Registry) {
    super({ name, help, registers: [registry] });
    this.#described = new Histogram({ name, help, registers: [] });
    this.#name = name;
    this.#bounds = bounds;
  }

  add(service: string, seconds: number): void {
    let counts = this.#services.get(service);
    if (!counts) {
      counts = { buckets: this.#bounds.map(() => 0).concat(0), sum: 0 };
      this.#services.set(service, counts);
    }
    let index = 0;
    while (seconds > (this.#bounds[index] ?? Infinity)) index += 1;
    counts.buckets[index] = (counts.buckets[index] ?? 0) + 1;
    counts.sum += seconds;
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
