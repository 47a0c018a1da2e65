import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';

import { ArchivesUnavailableError, lostArchive } from '../code/archives/archive-faults.ts';
import {
  internalError,
  isTemporaryFault,
  startFailure,
  throwIfTemporaryFault,
} from './start-failure.ts';

test('the reason of a program that was not started is one sentence', () => {
  for (const message of ['The program /bin/x is not there', 'The program /bin/x is not there.']) {
    const end = { kind: 'not-started', reason: 'no-such-file', message } as const;
    const { text } = startFailure({ kind: 'ended', end });
    assert.match(text, /not there\.$/);
  }
});

describe('a start that the store of code prevents', () => {
  it('is tried again while the store is unavailable', () => {
    const fault = new ArchivesUnavailableError(new Error('connect ECONNREFUSED'));
    assert.equal(isTemporaryFault(fault), true);
    assert.throws(() => throwIfTemporaryFault(internalError(fault)), fault);
  });

  it('has failed where the archive is lost or damaged', () => {
    const fault = lostArchive('ab'.repeat(32), 'is missing from the store');
    assert.equal(isTemporaryFault(fault), false);
    throwIfTemporaryFault(internalError(fault));
  });
});
