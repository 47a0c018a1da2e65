import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseHead } from './request-head.ts';

test('headers: lower-case names, values trimmed and joined, bytes of letters left alone', () => {
  const { headers, path, query } = parseHead({
    method: 'GET',
    target: '/a?b?c',
    rawHeaders: ['Host', ' h ', 'X-A', 'one \t two', 'x-a', '\xc3\xa0 three', 'x-b', ''],
  });
  assert.deepEqual([path, query], ['/a', 'b?c']);
  assert.deepEqual(
    [...headers],
    [
      ['host', 'h'],
      ['x-a', 'one two,\xc3\xa0 three'],
      ['x-b', ''],
    ],
  );
});
