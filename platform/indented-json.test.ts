import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { indentedJson } from './indented-json.ts';

describe('JSON as people read it', () => {
  test('is indented', () => {
    for (const value of [null, 1, 'a\\"[', [], {}, { a: [1, { b: '}"' }], c: [[]] }]) {
      assert.equal(indentedJson(value), JSON.stringify(value, null, 2));
    }
    const long = Array.from({ length: 10_000 }, (_, id) => ({
      id,
      name: `[[[${id}\\"`,
      of: [[id]],
    }));
    assert.equal(indentedJson(long), JSON.stringify(long, null, 2));
  });

  test('is as short as it was where that would make it many times as long', () => {
    for (const depth of [60, 3000]) {
      const text = `${'['.repeat(depth)}${'1,'.repeat(30_000)}1${']'.repeat(depth)}`;
      assert.equal(indentedJson(JSON.parse(text)), text);
    }
  });
});
