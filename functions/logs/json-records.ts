/** The platform's records in the JSON format: its events, each with its log level. */
import type { Clock } from '#platform/clock.ts';
import { present } from '#platform/present.ts';

import type { Failure } from './environment-log.ts';
import type { SystemLevel } from './application-line.ts';
import {
  billedMilliseconds,
  levelOf,
  wholeMebibytes,
  type SystemRecord,
  type SystemRecords,
} from './system-records.ts';

export function jsonRecords(clock: Clock): SystemRecords {
  const systemRecord = (level: SystemLevel, type: string, record: object): SystemRecord => ({
    level,
    line: JSON.stringify({
      time: new Date(clock.now()).toISOString(),
      type: `platform.${type}`,
      record,
    }),
  });
  return {
    initStarted: ({ initializationType, runtime, runtimeVersionArn }) => [
      systemRecord('DEBUG', 'initStart', {
        initializationType,
        phase: 'init',
        runtimeVersion: runtime,
        runtimeVersionArn,
      }),
    ],
    initEnded({ initializationType, phase, milliseconds, failure }) {
      const level = levelOf(failure, 'DEBUG');
      const outcome = { initializationType, phase, ...statusOf(failure) };
      return [
        systemRecord(level, 'initRuntimeDone', outcome),
        systemRecord(level, 'initReport', {
          ...outcome,
          metrics: { durationMs: rounded(milliseconds) },
        }),
      ];
    },
    invocationStarted: (requestId, version, tenantId) => [
      systemRecord('INFO', 'start', {
        requestId,
        version,
        ...present({ tenantId }),
      }),
    ],
    dropped: ({ bytes, reason }, requestId) => [
      systemRecord('WARN', 'logsDropped', {
        ...present({ requestId }),
        droppedBytes: bytes,
        reason,
      }),
    ],
    invocationEnded(report) {
      const { requestId, milliseconds, memorySizeMiB, initMilliseconds, failure } = report;
      const durationMs = rounded(milliseconds);
      const metrics = {
        durationMs,
        billedDurationMs: billedMilliseconds(milliseconds),
        memorySizeMB: memorySizeMiB,
        maxMemoryUsedMB: wholeMebibytes(report.peakMemoryBytes),
        ...(initMilliseconds === undefined ? {} : { initDurationMs: rounded(initMilliseconds) }),
      };
      return [
        systemRecord(levelOf(failure, 'DEBUG'), 'runtimeDone', {
          requestId,
          ...statusOf(failure),
          metrics: { durationMs },
        }),
        systemRecord(levelOf(failure, 'INFO'), 'report', {
          requestId,
          metrics,
          ...statusOf(failure),
        }),
      ];
    },
  };
}

function statusOf(failure: Failure | undefined): object {
  if (!failure) return { status: 'success' };
  const { status, errorType } = failure;
  return errorType === undefined ? { status } : { status, errorType };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
