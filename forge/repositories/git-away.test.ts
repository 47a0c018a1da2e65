import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createBackgroundWork } from '#platform/background.ts';

import { findAccount } from '../accounts/account-store.ts';
import { GitError } from '../git/git-error.ts';
import { parseBranchName } from '../git/names.ts';
import { isTemporary } from '../http/from-git-error.ts';
import type { Ports } from '../ports/ports.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createRepository } from './create-repository.ts';
import { unreadyRepositories } from './repository-life-store.ts';

describe('a repository whose git goes away while it is created', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  /** Ports whose git does not answer: neither the creation nor the first attempts to remove what there may be of it. */
  function withoutGit(background: Ports['background'], created: boolean): Ports {
    let removalsFail = 3;
    const away = new GitError('unavailable', 'No server has the shard of the repository now.');
    const git: Ports['git'] = {
      ...forge.git,
      async create(id, branch) {
        if (created) await forge.git.create(id, branch);
        throw away;
      },
      async remove(id) {
        removalsFail -= 1;
        if (removalsFail >= 0) throw away;
        await forge.git.remove(id);
      },
    };
    return { ...forge.ports, git, background };
  }

  for (const created of [false, true]) {
    const what = created ? 'had created it' : 'had not begun';
    test(`is removed by the same server once git is back, which ${what}`, async () => {
      const name = `away-${created}`;
      const failures: string[] = [];
      const background = createBackgroundWork({
        onError: (_error, key) => failures.push(key),
        passes: isTemporary,
        retryMilliseconds: 1,
      });
      const account = await forge.database.read((sql) => findAccount(sql, 'own'));
      const defaultBranch = parseBranchName('main');
      assert.ok(account && defaultBranch);
      const creation = createRepository(withoutGit(background, created), {
        owner: account,
        creator: account,
        name,
        description: null,
        homepage: null,
        private: false,
        defaultBranch,
        settings: {},
        firstCommit: undefined,
        now: forge.clock.now(),
      });
      await assert.rejects(creation, { kind: 'unavailable' });
      const [left] = await forge.database.read(unreadyRepositories);
      const deadline = Date.now() + 60_000;
      while ((await forge.database.read(unreadyRepositories)).length > 0) {
        assert.ok(Date.now() < deadline, 'the row is left');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await background.close();
      if (left) {
        await assert.rejects(forge.git.repository(left.id).listRefs('refs/'), {
          kind: 'missing-repository',
        });
      }
      assert.equal(failures.length, 1, 'the log has it once');
      assert.equal((await owner.get(`/repos/own/${name}`)).status, 404);
      await forge.repository(owner, { name });
    });
  }
});
