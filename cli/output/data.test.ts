import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { byCodePoint, isMapping, isNothing, isScalar, sortedKeys } from './data.ts';

describe('what a response is made of', () => {
  test('is a mapping, a list or a scalar', () => {
    assert.ok(isMapping({}));
    for (const other of [[], null, 'a', 1, Buffer.from('')]) assert.ok(!isMapping(other));
    for (const scalar of [null, 'a', 0, false, Buffer.from('a')]) assert.ok(isScalar(scalar));
    for (const other of [{}, []]) assert.ok(!isScalar(other));
  });

  test('may be nothing', () => {
    for (const nothing of [[], {}, '', 0, false, null, undefined]) assert.ok(isNothing(nothing));
    for (const something of [[0], { a: 0 }, ' ', 1, true]) assert.ok(!isNothing(something));
  });

  test('is sorted by code point', () => {
    assert.deepEqual(sortedKeys({ b: 1, '🦀': 1, ﬀ: 1, B: 1, ba: 1 }), ['B', 'b', 'ba', 'ﬀ', '🦀']);
    assert.ok(byCodePoint('🦀', '🦁') < 0, 'the first halves of the pairs are the same');
    assert.equal(byCodePoint('a', 'a'), 0);
  });
});
