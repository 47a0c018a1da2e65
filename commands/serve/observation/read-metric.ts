import { Counter, Gauge, type Registry } from 'prom-client';

/** A metric that is read when it is asked for: one value, or one for each value of a label. */
type ReadMetric = { readonly name: string; readonly help: string } & (
  | { readonly label?: undefined; readonly read: () => number }
  | { readonly label: string; readonly read: () => Iterable<readonly [string, number]> }
);

type Labels = Readonly<Record<string, string>>;

export function counter(registry: Registry, metric: ReadMetric): void {
  const added = new Counter({
    ...described(metric),
    collect() {
      this.reset();
      for (const [labels, value] of valuesOf(metric)) this.inc(labels, value);
    },
  });
  registry.registerMetric(added);
}

export function gauge(registry: Registry, metric: ReadMetric): void {
  const added = new Gauge({
    ...described(metric),
    collect() {
      // What is listed no more, such as a shard that was removed, has no value.
      this.reset();
      for (const [labels, value] of valuesOf(metric)) this.set(labels, value);
    },
  });
  registry.registerMetric(added);
}

function described({ name, help, label }: ReadMetric) {
  return { name, help, labelNames: label === undefined ? [] : [label], registers: [] };
}

function valuesOf(metric: ReadMetric): readonly (readonly [Labels, number])[] {
  if (metric.label === undefined) return [[{}, metric.read()]];
  const { label } = metric;
  return Array.from(metric.read(), ([value, count]) => [{ [label]: value }, count] as const);
}
