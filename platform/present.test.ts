import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { present } from './present.ts';

describe('the properties that are present', () => {
  for (const [name, values, expected] of [
    ['leave undefined out', { a: undefined, b: 1 }, { b: 1 }],
    [
      'contain null, false, zero and the empty string',
      { a: null, b: false, c: 0, d: '' },
      { a: null, b: false, c: 0, d: '' },
    ],
    ['of an empty object are none', {}, {}],
  ] as const) {
    test(name, () => assert.deepEqual(present(values), expected));
  }

  test('have the type of optional properties without undefined', () => {
    const optional = (text?: string): { readonly path?: string; readonly size: number } => ({
      ...present({ path: text, size: 1 }),
    });
    assert.deepEqual(optional(), { size: 1 });
    assert.deepEqual(optional('a'), { path: 'a', size: 1 });
  });
});
