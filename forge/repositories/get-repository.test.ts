import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { RefusalError } from '../errors/api-error.ts';
import { GitError } from '../git/git-error.ts';
import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { notFoundIfDeleted } from './get-repository.ts';

describe('what needs the files of a repository', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
  });
  after(() => forge.close());

  test('is refused with 404 when the repository was deleted meanwhile', async () => {
    const name = await forge.repository(owner);
    const id = await repositoryId(forge, name);
    const late = notFoundIfDeleted(forge.database, id, async () => {
      assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
      return forge.git.repository(id).listRefs('refs/heads/');
    });
    await assert.rejects(
      late,
      (error) => error instanceof RefusalError && error.refusal.kind === 'not-found',
    );
  });

  test('is refused with 404 when its rows refer to a repository that is gone', async () => {
    const name = await forge.repository(owner);
    const id = await repositoryId(forge, name);
    const late = notFoundIfDeleted(forge.database, id, async () => {
      assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
      return forge.database.write((sql) =>
        sql.run(
          `insert into ref_intents (repository_id, kind, payload, created_at) values ($1, 'push', '{}', 0)`,
          id,
        ),
      );
    });
    await assert.rejects(
      late,
      (error) => error instanceof RefusalError && error.refusal.kind === 'not-found',
    );
  });

  test('stays a fault of ours when the repository is still there and its files are not', async () => {
    const id = await repositoryId(forge, await forge.repository(owner));
    const lost = new GitError('missing-repository', 'No repository.');
    await assert.rejects(
      notFoundIfDeleted(forge.database, id, () => Promise.reject(lost)),
      lost,
    );
  });
});
