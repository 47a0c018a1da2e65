import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { expectObjectId } from '../git/names.ts';
import { repositoryId } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { pullsOfCommit } from './pulls-of-commit.ts';

describe('the pulls of a commit', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  test('are those that are found in the time', async () => {
    const pull = await openPull(forge, await forge.user('ada'));
    const id = await repositoryId(forge, pull.name);
    const head = expectObjectId(pull.head);
    assert.equal((await pullsOfCommit(forge.ports, id, head)).length, 1);
    assert.deepEqual(await pullsOfCommit(forge.ports, id, head, 0), []);
  });
});
