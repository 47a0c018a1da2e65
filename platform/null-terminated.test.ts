import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nullTerminated } from './null-terminated.ts';

test('a list of texts is refused when one of them would be read as two', () => {
  assert.equal(nullTerminated(['--setenv', 'NAME', '']), '--setenv\0NAME\0\0');
  assert.throws(() => nullTerminated(['--setenv', 'NAME', 'value\0--share-net']), TypeError);
});
