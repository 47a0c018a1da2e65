import type { ReportLine } from './invocation-report.ts';

/** An invocation from the log, and when it ended. */
export interface Reported extends ReportLine {
  readonly at: number;
}

/** What the reports of a stretch of time come to; durations are undefined where nothing was reported. */
export interface Stretch {
  readonly from: number;
  readonly invocations: number;
  /** Those that the platform ended: timeouts, and programs that exited. */
  readonly failures: number;
  readonly coldStarts: number;
  readonly median: number | undefined;
  readonly percentile95: number | undefined;
  readonly percentile99: number | undefined;
  readonly peakMemoryMiB: number | undefined;
}

/** As many stretches of equal length as asked for, the earliest first. */
export function stretchesOf(
  reports: readonly Reported[],
  {
    since,
    until,
    count,
  }: { readonly since: number; readonly until: number; readonly count: number },
): readonly Stretch[] {
  const length = (until - since) / count;
  const groups = Map.groupBy(reports, ({ at }) =>
    Math.min(count - 1, Math.max(0, Math.floor((at - since) / length))),
  );
  return Array.from({ length: count }, (_none, index) =>
    stretchOf(groups.get(index) ?? [], since + index * length),
  );
}

export function stretchOf(reports: readonly Reported[], from: number): Stretch {
  const durations = reports.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  return {
    from,
    invocations: reports.length,
    failures: reports.filter(({ failure }) => failure !== undefined).length,
    coldStarts: reports.filter(({ initMilliseconds }) => initMilliseconds !== undefined).length,
    median: percentile(durations, 0.5),
    percentile95: percentile(durations, 0.95),
    percentile99: percentile(durations, 0.99),
    peakMemoryMiB:
      reports.length === 0 ? undefined : Math.max(...reports.map((each) => each.peakMemoryMiB)),
  };
}

/** By the nearest rank: a duration that was measured. */
function percentile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}
