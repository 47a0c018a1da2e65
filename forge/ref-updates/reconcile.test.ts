import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createBackgroundWork } from '#platform/background.ts';
import type { Database } from '#platform/database/database.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { isTemporary } from '../http/from-git-error.ts';
import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import {
  branchRef,
  noObject,
  type ObjectId,
  parseBranchName,
  parseObjectId,
} from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { mergeFirstPull, openPull } from '../testing/pull-fixture.ts';
import { insertRepository, markDeleting } from '../repositories/repository-life-store.ts';
import { createNetwork, writeRepository } from '../events/invalidate.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { changeRefs } from './change-refs.ts';
import { completeChange } from './complete-change.ts';
import { insertIntent, openIntents, openIntentsOf } from './intent-store.ts';
import { findInterrupted, finishInterrupted, resumeLater } from './reconcile.ts';
import { committingLate } from '../testing/late-commit.ts';
import { reconcile } from '../testing/reconcile.ts';
import type { RefMove } from '../git/ref-update.ts';

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
    const ports = crashing(when);
    const merge = mergeFirstPull(forge, owner, name, {
      ports: background ? { ...ports, background } : ports,
    });
    await assert.rejects(merge, Crash);
  }

  async function tip(name: string, branch: string): Promise<ObjectId | undefined> {
    return forge.git.repository(await repositoryId(forge, name)).resolveCommit(`heads/${branch}`);
  }

  async function intents(): Promise<number> {
    return (await forge.database.read(openIntents)).length;
  }

  test('a merge whose intent was committed without an acknowledgement can be made again', async () => {
    const { name, path } = await openPull(forge, owner);
    let writes = 0;
    const database: Database = {
      ...forge.database,
      async write(work, options) {
        const result = await forge.database.write(work, options);
        writes += 1;
        if (writes === 1) throw new DatabaseUnavailableError(new Error('the connection closed'));
        return result;
      },
    };
    const merge = mergeFirstPull(forge, owner, name, { ports: { ...forge.ports, database } });
    await assert.rejects(merge, DatabaseUnavailableError);
    await forge.ports.background.idle();
    assert.equal(await intents(), 0);
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  /** Ports whose first write is committed late, and what waits until its intent is gone again. */
  function portsCommittingLate(): { readonly ports: Ports; readonly removed: () => Promise<void> } {
    const { database, isCommitted } = committingLate(forge.database);
    const background = createBackgroundWork({
      onError: (error) => assert.fail(String(error)),
      retryMilliseconds: 1,
    });
    async function removed(): Promise<void> {
      const deadline = Date.now() + 60_000;
      while (!isCommitted() || (await intents()) > 0) {
        assert.ok(Date.now() < deadline, 'the intent is left open');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await background.close();
    }
    return { ports: { ...forge.ports, database, background }, removed };
  }

  test('a merge whose commit becomes visible only later can be made again', async () => {
    const { name, path } = await openPull(forge, owner);
    const { ports, removed } = portsCommittingLate();
    await assert.rejects(mergeFirstPull(forge, owner, name, { ports }), DatabaseUnavailableError);
    await removed();
    assert.equal((await owner.put(`${path}/merge`)).status, 200);
  });

  test('a ref update whose commit becomes visible only later leaves nothing, although others make the move', async () => {
    const { name, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const next = await commitAbove(id, head, 'next');
    const refs = [moveOf('topic', head, next)];
    const { ports, removed } = portsCommittingLate();
    const now = forge.clock.now();
    await assert.rejects(
      changeRefs(ports, { repositoryId: id, refs, now }),
      DatabaseUnavailableError,
    );
    // The same once more, at the same time.
    assert.equal((await changeRefs(forge.ports, { repositoryId: id, refs, now })).kind, 'updated');
    await removed();
    assert.deepEqual(await pushesTo(name, 'topic'), [`${noObject} ${head}`, `${head} ${next}`]);
  });

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

  for (const created of ['all', 'the base alone'] as const) {
    test(`a merge of which git had moved ${created} has its head branch removed where the repository asks for it`, async () => {
      const { name, path, head } = await openPull(forge, owner);
      const id = await repositoryId(forge, name);
      await owner.patch(`/repos/${name}`, { delete_branch_on_merge: true });
      await mergeWithCrash(name, created === 'all' ? 'after' : 'before');
      if (created !== 'all') {
        const [intent] = await forge.database.read((sql) => openIntentsOf(sql, id));
        const base = intent?.refs.filter((move) => move.ref === 'refs/heads/main');
        assert.ok(base);
        await forge.git.repository(id).updateRefs(base);
      }
      await reconcile(forge.ports);
      assert.equal(await intents(), 0);
      const pull = (await owner.get(path)).body;
      assert.deepEqual([pull.merged, pull.merged_by.login], [true, 'own']);
      assert.equal(pull.merge_commit_sha, await tip(name, 'main'));
      assert.equal(await tip(name, 'topic'), undefined);
      const { body: events } = await owner.get(`/repos/${name}/events`);
      const deleted = events.filter((event: any) => event.type === 'DeleteEvent');
      assert.equal(deleted.length, 1);
      assert.deepEqual((await pushesTo(name, 'topic')).slice(1), [`${head} ${noObject}`]);
    });
  }

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
    // The size is measured in the background.
    await forge.ports.background.idle();
    const once = (await owner.get(path)).text;
    assert.deepEqual(await reconcile(forge.ports), { intents: 0, repositories: 0 });
    assert.equal((await owner.get(path)).text, once);
  });

  /** A push that was asked for; the process died before it was recorded. */
  async function pushIntent(id: number, ...refs: readonly RefMove[]): Promise<number> {
    const now = forge.clock.now();
    return forge.database.write((sql) =>
      insertIntent(sql, { repositoryId: id, refs, merge: undefined, kind: 'push', now }),
    );
  }

  /** A commit on top of another, which no branch has. */
  async function commitAbove(id: number, parent: string, message: string): Promise<ObjectId> {
    const git = forge.git.repository(id);
    const sha = parseObjectId(parent);
    const commit = sha && (await git.readCommit(sha));
    assert.ok(commit);
    return git.writeCommit({ ...commit, parents: [commit.id], message });
  }

  function moveOf(branch: string, from: string, to: string): RefMove {
    const [name, old, next] = [parseBranchName(branch), parseObjectId(from), parseObjectId(to)];
    assert.ok(name && old && next);
    return { ref: branchRef(name), old, new: next };
  }

  /** `before after` of each push to a branch, the oldest first. */
  async function pushesTo(name: string, branch: string): Promise<string[]> {
    const { body } = await owner.get(`/repos/${name}/events?per_page=100`);
    return body
      .filter((event: any) => event.type === 'PushEvent')
      .filter((event: any) => event.payload.ref === `refs/heads/${branch}`)
      .map((event: any) => `${event.payload.before} ${event.payload.head}`)
      .toReversed();
  }

  test('a push whose rows were not written is caught up with', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const next = await commitAbove(id, head, 'next');
    const move = moveOf('topic', head, next);
    await pushIntent(id, move);
    await forge.git.repository(id).updateRefs([move]);
    assert.equal((await owner.get(path)).body.head.sha, head);
    await reconcile(forge.ports);
    assert.equal((await owner.get(path)).body.head.sha, next);
  });

  test('a push that the git process died over is caught up with once there is another', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const next = await commitAbove(id, head, 'next');
    const move = moveOf('topic', head, next);
    const intentId = await pushIntent(id, move);
    await forge.git.repository(id).updateRefs([move]);
    const failures: string[] = [];
    const background = createBackgroundWork({
      onError: (_error, operation) => failures.push(operation),
      passes: isTemporary,
      retryMilliseconds: 1,
    });
    let away = 3;
    const git: Ports['git'] = {
      ...forge.git,
      repository(repository) {
        away -= 1;
        if (away >= 0) throw new GitError('unavailable', 'It is being started again.');
        return forge.git.repository(repository);
      },
    };
    resumeLater({ ...forge.ports, git, background }, intentId, id);
    while ((await forge.database.read(openIntents)).some((intent) => intent.id === intentId)) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await background.close();
    assert.equal((await owner.get(path)).body.head.sha, next);
    // The log has it once, not once a try.
    assert.deepEqual(failures, [`ref intent ${intentId} of repository ${id}`]);
  });

  test('a change in a repository that is being deleted is left to the deletion', async () => {
    const { name, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const move = moveOf('topic', head, await commitAbove(id, head, 'next'));
    const intentId = await pushIntent(id, move);
    await writeRepository(forge.database, id, (sql) => markDeleting(sql, id));
    await forge.git.remove(id);
    const failures: unknown[] = [];
    const background = createBackgroundWork({
      onError: (error) => failures.push(error),
      passes: isTemporary,
    });
    resumeLater({ ...forge.ports, background }, intentId, id);
    await background.idle();
    await background.close();
    assert.deepEqual(failures, []);
  });

  test('a push that deleted a head closes its pull after the crash', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const move = moveOf('topic', head, noObject);
    await pushIntent(id, move);
    await forge.git.repository(id).updateRefs([move]);
    await reconcile(forge.ports);
    assert.equal((await owner.get(path)).body.state, 'closed');
  });

  test('of two pushes of one move the recorded one emits no second event', async () => {
    const { name, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const next = await commitAbove(id, head, 'next');
    const move = moveOf('topic', head, next);
    const [recorded] = [await pushIntent(id, move), await pushIntent(id, move)];
    await forge.git.repository(id).updateRefs([move]);
    const now = forge.clock.now();
    const change = { intentId: recorded, repositoryId: id, moves: [move], now };
    await completeChange(forge.ports, change);
    await reconcile(forge.ports);
    assert.equal(await intents(), 0);
    assert.deepEqual((await pushesTo(name, 'topic')).slice(1), [`${head} ${next}`]);
  });

  test('pushes of one branch one after the other each have an event, also when the second replaced the first', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const [one, two] = [await commitAbove(id, head, 'one'), await commitAbove(id, head, 'two')];
    const moves = [moveOf('topic', head, one), moveOf('topic', one, two)];
    for (const move of moves) {
      await pushIntent(id, move);
      await forge.git.repository(id).updateRefs([move]);
    }
    await reconcile(forge.ports);
    const sent = (await pushesTo(name, 'topic')).slice(1);
    assert.deepEqual(sent, [`${head} ${one}`, `${one} ${two}`]);
    assert.equal((await owner.get(path)).body.head.sha, two);
  });

  test('a push emits its event although a later one on top of it was recorded before', async () => {
    const { name, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const one = await commitAbove(id, head, 'one');
    const two = await commitAbove(id, one, 'two');
    const [first, second] = [moveOf('topic', head, one), moveOf('topic', one, two)];
    await pushIntent(id, first);
    await forge.git.repository(id).updateRefs([first]);
    const now = forge.clock.now();
    await changeRefs(forge.ports, { repositoryId: id, refs: [second], now });
    await reconcile(forge.ports);
    const sent = (await pushesTo(name, 'topic')).slice(1);
    assert.deepEqual(sent.toSorted(), [`${head} ${one}`, `${one} ${two}`].toSorted());
  });

  test('a push that git never made emits no event, whatever else moved its branch', async () => {
    const { name, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const [lost, won] = [await commitAbove(id, head, 'lost'), await commitAbove(id, head, 'won')];
    const neverSent = '1'.repeat(40);
    await pushIntent(id, moveOf('topic', head, lost), moveOf('made', noObject, neverSent));
    const now = forge.clock.now();
    const refs = [moveOf('topic', head, won)];
    await changeRefs(forge.ports, { repositoryId: id, refs, now });
    await reconcile(forge.ports);
    assert.deepEqual((await pushesTo(name, 'topic')).slice(1), [`${head} ${won}`]);
    assert.deepEqual(await pushesTo(name, 'made'), []);
    assert.equal(await intents(), 0);
  });

  test('a repository that was being made when the process died is gone, and its name is free', async () => {
    const now = forge.clock.now();
    const id = await forge.database.write(async (sql) => {
      const network = await createNetwork(sql, { shardId: 0 });
      return insertRepository(network.write, {
        ownerId: owner.account.id,
        networkId: network.id,
        name: 'half',
        description: null,
        homepage: null,
        private: false,
        defaultBranch: 'main',
        now,
      });
    });
    const main = parseBranchName('main');
    assert.ok(main);
    await forge.git.create(id, main);
    assert.equal((await owner.get('/repos/own/half')).status, 404);
    const interrupted = await findInterrupted(forge.ports);
    assert.deepEqual(interrupted.repositories, [id]);
    assert.equal((await owner.post('/user/repos', { name: 'half' })).status, 201);
    assert.equal((await reconcile(forge.ports)).repositories, 1);
    assert.equal((await reconcile(forge.ports)).repositories, 0);
    assert.equal((await owner.get('/repos/own/half')).status, 200);
  });

  test('what other servers are at is left to them while they live', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const next = await commitAbove(id, head, 'next');
    const refs = [moveOf('topic', head, next)];
    const now = forge.clock.now();
    const [creating, deleting] = await forge.database.write(async (sql) => {
      const intent = { repositoryId: id, refs, merge: undefined, kind: 'push', now } as const;
      await insertIntent(sql, { ...intent, serverId: 'other' });
      const network = await createNetwork(sql, { shardId: 0 });
      const repository = {
        ownerId: owner.account.id,
        networkId: network.id,
        description: null,
        homepage: null,
        private: false,
        defaultBranch: 'main',
        now,
        serverId: 'other',
      };
      const removed = await insertRepository(network.write, { ...repository, name: 'removed' });
      await markDeleting(network.write, removed, 'other');
      return [await insertRepository(network.write, { ...repository, name: 'made' }), removed];
    });
    await forge.git.repository(id).updateRefs(refs);
    const live = await findInterrupted(forge.ports, (serverId) => serverId !== 'other');
    assert.deepEqual(live, { intents: 0, repositories: [] });
    assert.equal(forge.ports.reconciliation.keys().size, 0);
    const dead = await findInterrupted(forge.ports, (serverId) => serverId === 'other');
    assert.deepEqual(dead, { intents: 1, repositories: [deleting, creating].toSorted() });
    // The request waits for what is left, and completes it.
    assert.equal((await owner.get(path)).body.head.sha, next);
    await finishInterrupted(forge.ports, dead, new AbortController().signal, (error) => {
      throw error;
    });
    const none = { intents: 0, repositories: [] };
    assert.deepEqual(await findInterrupted(forge.ports, () => true), none);
  });

  test('a repository that a server has created which was taken for dead stays', async () => {
    const name = await forge.repository(owner);
    const id = await repositoryId(forge, name);
    const setState = (state: string): Promise<number> =>
      forge.database.write((sql) =>
        sql.run('update repositories set state = $2 where id = $1', id, state),
      );
    await setState('creating');
    const database: Database = {
      ...forge.database,
      async read(work) {
        const found = await forge.database.read(work);
        // It is acknowledged now.
        await setState('ready');
        return found;
      },
    };
    const none = { intents: 0, repositories: [] };
    assert.deepEqual(await findInterrupted({ ...forge.ports, database }), none);
    assert.equal((await owner.get(`/repos/${name}`)).status, 200);
  });

  test('a second push after reconciling is followed as ever', async () => {
    const { name, path } = await openPull(forge, owner);
    await mergeWithCrash(name, 'before');
    await reconcile(forge.ports);
    const next = await commitFiles(forge, name, 'topic', { more: 'x\n' });
    assert.equal((await owner.get(path)).body.head.sha, next);
  });
});
