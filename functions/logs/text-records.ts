/** The platform's records in the Text format (recorded log streams). */
import type { Clock } from '#platform/clock.ts';

import { timeoutMessage } from './platform-errors.ts';
import type { Failure, InvocationReport } from './environment-log.ts';
import { readTraceHeader } from './trace-header.ts';
import {
  billedMilliseconds,
  wholeMebibytes,
  type SystemRecord,
  type SystemRecords,
} from './system-records.ts';

export function textRecords(clock: Clock): SystemRecords {
  return {
    initStarted: ({ runtime, runtimeVersionArn }) =>
      one(`INIT_START Runtime Version: ${runtime}\tRuntime Version ARN: ${runtimeVersionArn}`),
    // A successful start is reported in the REPORT line of the first invocation after it.
    initEnded: ({ phase, milliseconds, failure }) =>
      failure
        ? one(
            `INIT_REPORT Init Duration: ${shown(milliseconds)}\tPhase: ${phase}\t${statusOf(failure)}`,
          )
        : [],
    invocationStarted: (requestId, version) =>
      one(`START RequestId: ${requestId} Version: ${version}`),
    dropped: ({ bytes, reason }, requestId) =>
      one(
        `LOGS_DROPPED ${requestId === undefined ? '' : `RequestId: ${requestId}\t`}Dropped Bytes: ${bytes}\tReason: ${reason}`,
      ),
    invocationEnded(report) {
      const { requestId, failure } = report;
      const timeout =
        failure?.timeoutSeconds === undefined
          ? []
          : one(
              `${new Date(clock.now()).toISOString()} ${requestId} ${timeoutMessage(failure.timeoutSeconds)}`,
            );
      return [...timeout, ...one(`END RequestId: ${requestId}`), ...reportOf(report)];
    },
  };
}

function reportOf(report: InvocationReport): readonly SystemRecord[] {
  const { requestId, milliseconds, memorySizeMiB, peakMemoryBytes, initMilliseconds, failure } =
    report;
  const parts = [
    `REPORT RequestId: ${requestId}`,
    `Duration: ${shown(milliseconds)}`,
    `Billed Duration: ${billedMilliseconds(milliseconds)} ms`,
    `Memory Size: ${memorySizeMiB} MB`,
    `Max Memory Used: ${wholeMebibytes(peakMemoryBytes)} MB`,
    ...(initMilliseconds === undefined ? [] : [`Init Duration: ${shown(initMilliseconds)}`]),
    failure ? statusOf(failure) : '',
  ];
  return one(parts.join('\t'), ...traceOf(report.traceHeader));
}

/** The trace of a sampled invocation, after its REPORT line. */
function traceOf(traceHeader: string | undefined): string[] {
  const trace = traceHeader === undefined ? undefined : readTraceHeader(traceHeader);
  if (trace?.root === undefined || trace.sampled !== true) return [];
  return [`XRAY TraceId: ${trace.root}\tSegmentId: ${trace.parent ?? ''}\tSampled: true\t`];
}

function statusOf({ status, errorType }: Failure): string {
  return errorType === undefined
    ? `Status: ${status}`
    : `Status: ${status}\tError Type: ${oneField(errorType)}`;
}

/** The error type comes from a program's header: it must not add fields or lines. */
function oneField(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

function shown(milliseconds: number): string {
  return `${milliseconds.toFixed(2)} ms`;
}

/** Levels have no effect in this format. */
function one(...lines: readonly string[]): readonly SystemRecord[] {
  return lines.map((line) => ({ level: 'WARN', line }));
}
