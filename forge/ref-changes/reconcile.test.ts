import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { GitRepository } from '../git/git.ts';
import { branchRef, noObject, type ObjectId, parseBranchName } from '../git/names.ts';
import type { Ports } from '../ports.ts';
import { findPull } from '../pulls/pull-store.ts';
import { mergePull } from '../pulls/merge-pull.ts';
import { openPull } from '../pulls/endpoints/pull-fixture.ts';
import { insertRepository } from '../repositories/repository-life-store.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { insertIntent, openIntents } from './intent-store.ts';
import { reconcile } from './reconcile.ts';

describe('ref changes that a crash interrupted', () => {
  /** The process ends here: nothing after this runs. */
  class Crash extends Error {}

  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  /** Ports on which the process dies before or after git moves a ref. */
  function crashing(when: 'before' | 'after'): Ports {
    const wrap = (repository: GitRepository): GitRepository =>
      new Proxy(repository, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'updateRefs') return value.bind(target);
          return async (...words: unknown[]) => {
            if (when === 'after') await Reflect.apply(value, target, words);
            throw new Crash();
          };
        },
      });
    return {
      ...forge.ports,
      git: { ...forge.git, repository: (id) => wrap(forge.git.repository(id)) },
      // What a dead process would have done later it does not do.
      background: { run() {}, idle: async () => {}, close: async () => {} },
    };
  }

  async function mergeWithCrash(
    name: string,
    when: 'before' | 'after',
    background?: Ports['background'],
  ): Promise<void> {
    const id = await repositoryId(forge, name);
    const [pull, repository] = await forge.database.read(
      async (sql) =>
        [await findPull(sql, id, 1), (await repositoriesById(sql, [id])).get(id)] as const,
    );
    assert.ok(pull && repository);
    const ports = crashing(when);
    const merge = mergePull(background ? { ...ports, background } : ports, {
      pull,
      repository,
      caller: { kind: 'user', account: owner.account, scopes: 'password' },
      method: 'merge',
      sha: undefined,
      wish: { title: undefined, message: undefined },
      now: forge.clock.now(),
      offsetMinutes: 0,
    });
    await assert.rejects(merge, Crash);
  }

  async function tip(name: string, branch: string): Promise<ObjectId | undefined> {
    return forge.git.repository(await repositoryId(forge, name)).resolveCommit(`heads/${branch}`);
  }

  async function intents(): Promise<number> {
    return (await forge.database.read(openIntents)).length;
  }

  test('a merge whose ref did not move is forgotten, and can be made again', async () => {
    const { name, path, base } = await openPull(forge, owner);
    await mergeWithCrash(name, 'before');
    assert.equal(await intents(), 1);
    await reconcile(forge.ports);
    assert.equal(await intents(), 0);
    assert.equal(await tip(name, 'main'), base);
    assert.equal((await owner.get(path)).body.merged, false);
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  test('a merge whose ref moved is finished with everything its row needs', async () => {
    const { name, path } = await openPull(forge, owner);
    await mergeWithCrash(name, 'after');
    assert.equal((await owner.get(path)).body.merged, false);
    await reconcile(forge.ports);
    assert.equal(await intents(), 0);
    const pull = (await owner.get(path)).body;
    assert.equal(pull.merged, true);
    assert.equal(pull.state, 'closed');
    assert.equal(pull.merged_by.login, 'own');
    assert.equal(pull.merge_commit_sha, await tip(name, 'main'));
    assert.equal((await owner.put(`${path}/merge`)).status, 405);
  });

  test('a merge is finished too when something was pushed on top of it', async () => {
    const { name, path } = await openPull(forge, owner);
    await mergeWithCrash(name, 'after');
    const merge = await tip(name, 'main');
    const id = await repositoryId(forge, name);
    const git = forge.git.repository(id);
    const parent = merge && (await git.readCommit(merge));
    const main = parseBranchName('main');
    assert.ok(parent && main);
    const above = await git.writeCommit({ ...parent, parents: [parent.id], message: 'above' });
    await git.updateRefs([{ ref: branchRef(main), old: parent.id, new: above }]);
    await reconcile(forge.ports);
    const pull = (await owner.get(path)).body;
    assert.equal(pull.merged, true);
    assert.equal(pull.merge_commit_sha, parent.id);
  });

  for (const [when, merged] of [
    ['before', false],
    ['after', true],
  ] as const) {
    test(`git lost ${when} it moved the ref leaves nothing behind that waits for a restart`, async () => {
      const { name, path } = await openPull(forge, owner);
      await mergeWithCrash(name, when, forge.ports.background);
      await forge.ports.background.idle();
      assert.equal(await intents(), 0);
      assert.equal((await owner.get(path)).body.merged, merged);
      assert.equal((await owner.put(`${path}/merge`)).status, merged ? 405 : 200);
    });
  }

  test('reconciling twice changes nothing more', async () => {
    const { name, path } = await openPull(forge, owner);
    await mergeWithCrash(name, 'after');
    await reconcile(forge.ports);
    // The size is measured a moment later.
    await forge.ports.background.idle();
    const once = (await owner.get(path)).text;
    assert.deepEqual(await reconcile(forge.ports), { intents: 0, repositories: 0 });
    assert.equal((await owner.get(path)).text, once);
  });

  test('a push whose rows were not written is caught up with', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const now = forge.clock.now();
    await forge.database.write((sql) =>
      insertIntent(sql, { repositoryId: id, refs: [], merge: undefined, kind: 'push', now }),
    );
    const git = forge.git.repository(id);
    const topic = parseBranchName('topic');
    const old = await tip(name, 'topic');
    assert.ok(topic && old);
    const commit = await git.readCommit(old);
    assert.ok(commit);
    const next = await git.writeCommit({ ...commit, parents: [old], message: 'next' });
    await git.updateRefs([{ ref: branchRef(topic), old, new: next }]);
    assert.equal((await owner.get(path)).body.head.sha, head);
    await reconcile(forge.ports);
    assert.equal((await owner.get(path)).body.head.sha, next);
  });

  test('a push that deleted a head closes its pull after the crash', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const now = forge.clock.now();
    await forge.database.write((sql) =>
      insertIntent(sql, { repositoryId: id, refs: [], merge: undefined, kind: 'push', now }),
    );
    const topic = parseBranchName('topic');
    const old = await tip(name, 'topic');
    assert.ok(topic && old === head);
    await forge.git.repository(id).updateRefs([{ ref: branchRef(topic), old, new: noObject }]);
    await reconcile(forge.ports);
    assert.equal((await owner.get(path)).body.state, 'closed');
  });

  test('a repository that was being made when the process died is gone, and its name is free', async () => {
    const now = forge.clock.now();
    const id = await forge.database.write((sql) =>
      insertRepository(sql, {
        ownerId: owner.account.id,
        name: 'half',
        description: null,
        homepage: null,
        private: false,
        defaultBranch: 'main',
        now,
      }),
    );
    const main = parseBranchName('main');
    assert.ok(main);
    await forge.git.create(id, main);
    assert.equal((await owner.get('/repos/own/half')).status, 404);
    assert.equal((await reconcile(forge.ports)).repositories, 1);
    assert.equal((await owner.post('/user/repos', { name: 'half' })).status, 201);
  });

  test('a second push after reconciling is followed as ever', async () => {
    const { name, path } = await openPull(forge, owner);
    await mergeWithCrash(name, 'before');
    await reconcile(forge.ports);
    const next = await commitFiles(forge, name, 'topic', { more: 'x\n' });
    assert.equal((await owner.get(path)).body.head.sha, next);
  });
});
