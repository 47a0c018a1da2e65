import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LogLines } from './log-lines.ts';

test('what is printed is cut into lines, whatever pieces it comes in', () => {
  const lines = new LogLines();
  const shownCount = ['one\ntw', 'o\n', '\nthree'].flatMap((text) => lines.take(Buffer.from(text)));
  assert.deepEqual([...shownCount, ...lines.end()], ['one', 'two', '', 'three']);
});

test('a line that does not end is cut, and never stored whole', () => {
  const lines = new LogLines();
  const piece = Buffer.alloc(100_000, 'x');
  const shownCount = Array.from({ length: 100 }, () => lines.take(piece)).flat();
  assert.ok(shownCount.length >= 37 && shownCount.every((line) => line.length === 256 * 1024));
  assert.equal([...shownCount, ...lines.end()].join('').length, 10_000_000);
});
