import type { InvocationCount } from '../../environments/pool/invocation-counts-store.ts';

/** What was counted in a stretch of time. */
export type Counts = Omit<InvocationCount, 'functionName' | 'beginning'>;

export const none: Counts = { invocations: 0, errors: 0, throttles: 0, concurrency: 0 };

/** The counts of as many stretches of equal length as asked for, the earliest first; each count is in the stretch in which it begins. */
export function countsOf(
  counts: readonly InvocationCount[],
  {
    since,
    until,
    count,
  }: { readonly since: number; readonly until: number; readonly count: number },
): readonly Counts[] {
  const length = (until - since) / count;
  const groups = Map.groupBy(counts, ({ beginning }) =>
    Math.min(count - 1, Math.max(0, Math.floor((beginning - since) / length))),
  );
  return Array.from({ length: count }, (_none, index) => totalOf(groups.get(index) ?? []));
}

export function totalOf(counts: readonly Counts[]): Counts {
  return {
    invocations: sum(counts.map(({ invocations }) => invocations)),
    errors: sum(counts.map(({ errors }) => errors)),
    throttles: sum(counts.map(({ throttles }) => throttles)),
    concurrency: Math.max(0, ...counts.map(({ concurrency }) => concurrency)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
