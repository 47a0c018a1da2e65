import { Counter, Gauge, type Registry } from 'prom-client';

/** A metric that is read when it is asked for: one value, or one for each value of a label. */
type ReadMetric = { readonly name: string; readonly help: string } & (
  | { readonly label?: undefined; readonly read: () => number }
  | { readonly label: string; readonly read: () => Iterable<readonly [string, number]> }
);

export function counter(registry: Registry, { name, help, ...metric }: ReadMetric): void {
  const { label } = metric;
  const added = new Counter({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [],
    collect() {
      this.reset();
      if (metric.label === undefined) this.inc(metric.read());
      else for (const [value, count] of metric.read()) this.inc({ [metric.label]: value }, count);
    },
  });
  registry.registerMetric(added);
}

export function gauge(registry: Registry, { name, help, ...metric }: ReadMetric): void {
  const { label } = metric;
  const added = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [],
    collect() {
      // What is listed no more, such as a shard that was removed, has no value.
      this.reset();
      if (metric.label === undefined) this.set(metric.read());
      else for (const [value, count] of metric.read()) this.set({ [metric.label]: value }, count);
    },
  });
  registry.registerMetric(added);
}
