import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Git } from '../git/git.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { findCommit } from './known-commits.ts';

describe('known commits', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  /** The forge's git, with the revisions that it is asked for. */
  const listeningGit = (): { git: Git; requested: string[] } => {
    const requested: string[] = [];
    const git: Git = {
      ...forge.git,
      repository: (id) => {
        const repository = forge.git.repository(id);
        return {
          ...repository,
          resolveCommit: (revision) => {
            requested.push(revision);
            return repository.resolveCommit(revision);
          },
        };
      },
    };
    return { git, requested };
  };

  it('are read from git once, branches each time', async () => {
    const fullName = await forge.repository(await forge.user());
    const id = await repositoryId(forge, fullName);
    const first = await commitFiles(forge, fullName, 'main', { a: '1' });
    const { git, requested } = listeningGit();
    assert.equal(await findCommit(git, id, first), first);
    assert.equal(await findCommit(git, id, first.toUpperCase()), first);
    assert.deepEqual(requested, [first]);
    const second = await commitFiles(forge, fullName, 'main', { a: '2' });
    assert.equal(await findCommit(git, id, 'main'), second);
    assert.equal(await findCommit(git, id, second), second);
    const third = await commitFiles(forge, fullName, 'main', { a: '3' });
    assert.equal(await findCommit(git, id, 'main'), third);
    assert.deepEqual(requested, [first, 'main', 'main']);
  });

  it('are known in their own repository only, and what is absent is asked for again', async () => {
    const owner = await forge.user();
    const fullName = await forge.repository(owner);
    const id = await repositoryId(forge, fullName);
    const otherId = await repositoryId(forge, await forge.repository(owner));
    const commit = await commitFiles(forge, fullName, 'main', { a: 'own' });
    const { git, requested } = listeningGit();
    assert.equal(await findCommit(git, id, commit), commit);
    assert.equal(await findCommit(git, otherId, commit), undefined);
    assert.equal(await findCommit(git, otherId, commit), undefined);
    assert.equal(requested.length, 3);
  });
});
