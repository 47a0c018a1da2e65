import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';

import { OperatorError } from '#platform/operator-error.ts';

import { startFailure } from './start-failure.ts';

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.fail('It did not fail.'),
    (error: unknown) => error,
  );

test('names the file that a start cannot use, and leaves other faults as they are', async () => {
  const file = import.meta.filename;
  for (const [work, words] of [
    [mkdir(file), `EEXIST: file already exists, mkdir '${file}'`],
    [readFile(import.meta.dirname), 'EISDIR'],
    [writeFile('/dev/full', 'x'), 'ENOSPC'],
  ] as const) {
    const error = await failureOf(work);
    for (const thrown of [error, new Error('The launcher did not start.', { cause: error })]) {
      const shown = startFailure(thrown);
      assert.ok(shown instanceof OperatorError);
      assert.ok(shown.message.startsWith(`Hob cannot start: ${words}`), shown.message);
      assert.equal(shown.cause, thrown);
    }
  }
  const known = new OperatorError('Use another port.', { cause: await failureOf(mkdir(file)) });
  for (const other of [known, new TypeError('a bug'), await failureOf(fetch('http://127.0.0.1:1'))])
    assert.equal(startFailure(other), other);
});
