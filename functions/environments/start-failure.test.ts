import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ArchivesUnavailableError, lostArchive } from '../code/archives/archive-faults.ts';
import { internalError, isTemporaryFault, throwTemporaryFault } from './start-failure.ts';

describe('a start that the store of code prevents', () => {
  it('is tried again while the store is unavailable', () => {
    const fault = new ArchivesUnavailableError(new Error('connect ECONNREFUSED'));
    assert.equal(isTemporaryFault(fault), true);
    assert.throws(() => throwTemporaryFault(internalError(fault)), fault);
  });

  it('has failed where the archive is lost or damaged', () => {
    const fault = lostArchive('ab'.repeat(32), 'is missing from the store');
    assert.equal(isTemporaryFault(fault), false);
    throwTemporaryFault(internalError(fault));
  });
});
