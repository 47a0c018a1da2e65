import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jsonRecords } from '../../logs/json-records.ts';
import { textRecords } from '../../logs/text-records.ts';
import { readReport } from './invocation-report.ts';

const clock = { now: () => Date.UTC(2026, 0, 1) };
const ended = {
  requestId: '0a1b2c3d-0000-4000-8000-000000000000',
  milliseconds: 12.345,
  memorySizeMiB: 256,
  peakMemoryBytes: 40 * 1_048_576,
};

describe('the report of an invocation', () => {
  for (const [format, records] of [
    ['Text', textRecords(clock)],
    ['JSON', jsonRecords(clock)],
  ] as const) {
    const read = (report: Parameters<typeof records.invocationEnded>[0]) =>
      records
        .invocationEnded(report)
        .map(({ line }) => readReport(line))
        .filter((found) => found !== undefined);

    test(`is read in the format ${format}, as it is written`, () => {
      const [report, ...others] = read(ended);
      assert.deepEqual(others, []);
      assert.deepEqual(
        { ...report, milliseconds: Math.round(report?.milliseconds ?? 0) },
        {
          requestId: ended.requestId,
          milliseconds: 12,
          billedMilliseconds: 13,
          memoryMiB: 256,
          peakMemoryMiB: 40,
          initMilliseconds: undefined,
          failure: undefined,
        },
      );
    });

    test(`says in the format ${format} how a cold start failed`, () => {
      const failure = { status: 'timeout', errorType: 'Sandbox.Timedout' } as const;
      const [report] = read({ ...ended, initMilliseconds: 200, failure });
      assert.equal(report?.initMilliseconds, 200);
      assert.equal(report?.failure, 'timeout');
    });
  }

  test('is no line that a program wrote', () => {
    for (const line of [
      '',
      'REPORT RequestId: x',
      'REPORT RequestId: x\tDuration: much ms',
      '{"type":"platform.report"}',
      '{"type":"platform.report","record":{"metrics":{"durationMs":"x"}}}',
      '{"platform.report"',
      '[]',
    ]) {
      assert.equal(readReport(line), undefined, line);
    }
  });
});
