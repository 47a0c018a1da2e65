import type { Failure, InitReport, InitStart, InvocationReport } from './environment-log.ts';
import type { SystemLevel } from './application-line.ts';

/** The platform's records in one format, one line each. */
export interface SystemRecords {
  initStarted(start: InitStart): readonly SystemRecord[];
  initEnded(report: InitReport): readonly SystemRecord[];
  invocationStarted(requestId: string, version: string, tenantId?: string): readonly SystemRecord[];
  dropped(dropped: Dropped, requestId: string | undefined): readonly SystemRecord[];
  invocationEnded(report: InvocationReport): readonly SystemRecord[];
}

/** The output of a function that was dropped. */
export interface Dropped {
  readonly bytes: number;
  readonly reason: string;
}

export interface SystemRecord {
  readonly level: SystemLevel;
  readonly line: string;
}

/** Billed duration is in whole milliseconds. */
export function billedMilliseconds(milliseconds: number): number {
  return Math.ceil(milliseconds);
}

export function wholeMebibytes(bytes: number): number {
  return Math.ceil(bytes / 1_048_576);
}

/** Failures are logged at every level. */
export function levelOf(failure: Failure | undefined, usually: SystemLevel): SystemLevel {
  return failure ? 'WARN' : usually;
}
