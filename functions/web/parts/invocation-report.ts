/** What the platform reports of an invocation, in the last line of its log. */
export interface ReportLine {
  readonly requestId: string;
  readonly milliseconds: number;
  readonly billedMilliseconds: number;
  readonly memoryMiB: number;
  readonly peakMemoryMiB: number;
  /** Of a cold start. */
  readonly initMilliseconds: number | undefined;
  /** `timeout`, `error`; undefined: the invocation succeeded. */
  readonly failure: string | undefined;
}

/** Reads a line of a log in either format; undefined: it is no report. */
export function readReport(line: string): ReportLine | undefined {
  if (line.startsWith('REPORT RequestId: ')) return textReport(line);
  return line.startsWith('{') && line.includes('"platform.report"') ? jsonReport(line) : undefined;
}

function textReport(line: string): ReportLine | undefined {
  const fields = new Map(
    line.split('\t').map((field) => {
      const [, name = '', value = ''] = /^(?:REPORT )?([\w ]+): (.*)$/.exec(field) ?? [];
      return [name, value];
    }),
  );
  const number = (name: string): number => Number(/^[\d.]+/.exec(fields.get(name) ?? '')?.[0]);
  const init = number('Init Duration');
  return reportOf({
    requestId: fields.get('RequestId') ?? '',
    milliseconds: number('Duration'),
    billedMilliseconds: number('Billed Duration'),
    memoryMiB: number('Memory Size'),
    peakMemoryMiB: number('Max Memory Used'),
    initMilliseconds: Number.isNaN(init) ? undefined : init,
    failure: fields.get('Status'),
  });
}

function jsonReport(line: string): ReportLine | undefined {
  const { type, record } = objectIn(parsed(line));
  if (type !== 'platform.report') return undefined;
  const { requestId, status, metrics } = objectIn(record);
  const measured = objectIn(metrics);
  const init = measured['initDurationMs'];
  return reportOf({
    requestId: String(requestId),
    milliseconds: Number(measured['durationMs']),
    billedMilliseconds: Number(measured['billedDurationMs']),
    memoryMiB: Number(measured['memorySizeMB']),
    peakMemoryMiB: Number(measured['maxMemoryUsedMB']),
    initMilliseconds: typeof init === 'number' ? init : undefined,
    failure: typeof status === 'string' && status !== 'success' ? status : undefined,
  });
}

/** Programs may write lines that begin like a report. */
function reportOf(report: ReportLine): ReportLine | undefined {
  const { milliseconds, billedMilliseconds, memoryMiB, peakMemoryMiB } = report;
  const numbers = [milliseconds, billedMilliseconds, memoryMiB, peakMemoryMiB];
  return numbers.every(Number.isFinite) ? report : undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
