import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Reported, stretchesOf, stretchOf } from './report-statistics.ts';

const report = (at: number, milliseconds: number, rest: Partial<Reported> = {}): Reported => ({
  at,
  milliseconds,
  requestId: 'id',
  billedMilliseconds: milliseconds,
  memoryMiB: 128,
  peakMemoryMiB: 40,
  initMilliseconds: undefined,
  failure: undefined,
  ...rest,
});

test('reports are counted in the stretch of time in which their invocations ended', () => {
  const reports = [report(0, 1), report(9, 1), report(10, 1), report(30, 1)];
  const stretches = stretchesOf(reports, { since: 0, until: 30, count: 3 });
  assert.deepEqual(
    stretches.map(({ from, invocations }) => [from, invocations]),
    [
      [0, 2],
      [10, 1],
      [20, 1],
    ],
  );
});

test('percentiles are durations that were measured, and nothing is said of nothing', () => {
  const hundred = Array.from({ length: 100 }, (_none, index) => report(0, 100 - index));
  const { median, percentile95, percentile99 } = stretchOf(hundred, 0);
  assert.deepEqual([median, percentile95, percentile99], [50, 95, 99]);
  assert.equal(stretchOf([report(0, 7)], 0).percentile99, 7);
  const none = stretchOf([], 0);
  assert.deepEqual([none.median, none.peakMemoryMiB], [undefined, undefined]);
});

test('failures and cold starts are told apart from other invocations', () => {
  const { invocations, failures, coldStarts, peakMemoryMiB } = stretchOf(
    [
      report(0, 1, { failure: 'timeout', peakMemoryMiB: 99 }),
      report(0, 1, { initMilliseconds: 5 }),
    ],
    0,
  );
  assert.deepEqual([invocations, failures, coldStarts, peakMemoryMiB], [2, 1, 1, 99]);
});
