import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { expectObjectId, type ObjectId } from '../git/names.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { pullsOfCommit } from './pulls-of-commit.ts';

describe('the pulls of a commit', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  test('are those that are found in the time, at least those that have it as their head', async () => {
    const pull = await openPull(forge, await forge.user('ada'));
    const id = await repositoryId(forge, pull.name);
    const first = expectObjectId(pull.head);
    const found = async (sha: ObjectId, milliseconds?: number) => {
      const { pulls, complete } = await pullsOfCommit(forge.ports, id, sha, milliseconds);
      return [pulls.length, complete];
    };
    assert.deepEqual(await found(first, 0), [1, true]);
    const second = await commitFiles(forge, pull.name, 'topic', { 'more.txt': 'more' });
    assert.deepEqual(await found(first), [1, true]);
    assert.deepEqual(await found(first, 0), [0, false]);
    assert.deepEqual(await found(second, 0), [1, true]);
  });
});
