import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { errorCode } from './error-code.ts';

describe('the code of an error', () => {
  test('is that of the system', async () => {
    const error: unknown = await open(`${import.meta.dirname}/absent`).catch((thrown) => thrown);
    assert.equal(errorCode(error), 'ENOENT');
  });

  for (const [label, value] of [
    ['an error without a code', new Error('broken')],
    ['a number', Object.assign(new Error('broken'), { code: 5 })],
    ['what is no error', { code: 'ENOENT' }],
    ['nothing', undefined],
  ] as const) {
    test(`is undefined for ${label}`, () => assert.equal(errorCode(value), undefined));
  }
});
