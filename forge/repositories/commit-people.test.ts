import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseTimestamp } from './commit-people.ts';

test('what is no timestamp is none', () => {
  for (const text of [
    '',
    'yesterday',
    '2020',
    '2020-01-01',
    '2020-13-01T00:00:00Z',
    '2020-00-01T00:00:00Z',
    '2020-02-30T00:00:00Z',
    '2021-02-29T00:00:00Z',
    '2020-01-01T24:00:00Z',
    '2020-01-01T00:60:00Z',
    '2020-01-01T00:00:60Z',
    '2020-01-01T00:00:00+24:00',
    '2020-01-01T00:00:00+01:60',
    '2020-01-01T00:00:00 UTC',
    '2020-01-01T00:00:00Zz',
    '1577836800',
  ]) {
    assert.equal(parseTimestamp(text), undefined, text);
  }
});

test('a timestamp is read with its zone, or without one', () => {
  const second = 1_577_836_800;
  const read: readonly [string, number, number | undefined][] = [
    ['2020-01-01T00:00:00Z', second, 0],
    ['2020-01-01t00:00:00.999z', second, 0],
    ['2020-01-01T00:00Z', second, 0],
    ['2020-01-01T05:30:00+05:30', second, 330],
    ['2019-12-31T20:30:00-0330', second, -210],
    ['2020-01-01T00:00:00-00:00', second, 0],
    ['2020-01-01T00:00:00', second, undefined],
    ['1969-12-31T23:59:59Z', -1, 0],
    ['2020-02-29T00:00:00Z', 1_582_934_400, 0],
  ];
  for (const [text, seconds, offsetMinutes] of read) {
    assert.deepEqual(parseTimestamp(text), { seconds, offsetMinutes }, text);
  }
});
