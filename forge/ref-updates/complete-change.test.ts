import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { createSerialQueues } from '#platform/serial-queues.ts';

import { branchRef, type ObjectId, parseBranchName, parseObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { createPull } from '../pulls/operations/create-pull.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { mergePull } from '../pulls/operations/merge-pull.ts';
import { findPull } from '../pulls/pull-store.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { Repository } from '../model/repository.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { changeRefs, type ChangeRefsInput } from './change-refs.ts';
import { completeChange } from './complete-change.ts';
import { insertIntent, openIntents } from './intent-store.ts';

describe('rows that follow refs', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  /** What another server on the same database and repositories has. */
  function otherProcess(database: Database = forge.database): Ports {
    return { ...forge.ports, database, serialQueues: createSerialQueues() };
  }

  /** Stops before the write of that number. */
  function stoppingAt(number: number): {
    readonly database: Database;
    readonly reached: Promise<void>;
    readonly go: () => void;
  } {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    let writes = 0;
    const database: Database = {
      ...forge.database,
      async write(work, options) {
        writes += 1;
        if (writes === number) {
          reached.resolve();
          await gate.promise;
        }
        return forge.database.write(work, options);
      },
    };
    return { database, reached: reached.promise, go: gate.resolve };
  }

  async function commitOn(name: string, parent: string, file: string): Promise<ObjectId> {
    return commitFiles(forge, name, `keep-${file}`, { [file]: 'x\n' }, { parents: [parent] });
  }

  /** The change of one branch. */
  function move(id: number, name: string, from: string, to: ObjectId): ChangeRefsInput {
    const old = parseObjectId(from);
    assert.ok(old);
    return {
      repositoryId: id,
      refs: [{ ref: branch(name), old, new: to }],
      now: forge.clock.now(),
    };
  }

  async function repositoryOf(name: string): Promise<Repository> {
    const id = await repositoryId(forge, name);
    const found = await forge.database.read((sql) => repositoriesById(sql, [id]));
    const repository = found.get(id);
    assert.ok(repository);
    return repository;
  }

  function branch(name: string): ReturnType<typeof branchRef> {
    const parsed = parseBranchName(name);
    assert.ok(parsed);
    return branchRef(parsed);
  }

  async function headRef(name: string, number: number): Promise<string> {
    return (await owner.get(`/repos/${name}/git/ref/pull/${number}/head`)).body.object.sha;
  }

  async function eventsOf(name: string, type: string): Promise<any[]> {
    const { body } = await owner.get(`/repos/${name}/events?per_page=100`);
    return body.filter((event: { type: string }) => event.type === type);
  }

  test('a pull shows where its branch is, although the write of an earlier move comes later', async () => {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const [slow, fast] = [await commitOn(name, head, 'slow'), await commitOn(name, head, 'fast')];
    const stop = stoppingAt(2);
    const slower = changeRefs(otherProcess(stop.database), move(id, 'topic', head, slow));
    await stop.reached;
    const faster = await changeRefs(otherProcess(), move(id, 'topic', slow, fast));
    assert.equal(faster.kind, 'updated');
    assert.equal((await owner.get(path)).body.head.sha, fast);
    stop.go();
    assert.equal((await slower).kind, 'updated');
    assert.equal((await owner.get(path)).body.head.sha, fast);
    assert.equal(await headRef(name, 1), fast);
    assert.deepEqual(await forge.database.read(openIntents), []);
    const merge = await owner.put(`${path}/merge`);
    assert.equal(merge.status, 200, merge.text);
    const commit = await owner.get(`/repos/${name}/git/commits/${merge.body.sha}`);
    assert.equal(commit.body.parents[1].sha, fast);
    assert.equal((await eventsOf(name, 'PushEvent')).length, 7);
  });

  test('a base that moved on meanwhile is the base of the row', async () => {
    const { name, path, base } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const one = await commitOn(name, base, 'one');
    const two = await commitOn(name, one, 'two');
    const stop = stoppingAt(2);
    const slower = changeRefs(otherProcess(stop.database), move(id, 'main', base, one));
    await stop.reached;
    await changeRefs(otherProcess(), move(id, 'main', one, two));
    stop.go();
    await slower;
    assert.equal((await owner.get(path)).body.base.sha, two);
  });

  test('a pull that is opened while its head moves has the head of its branch', async () => {
    const name = await forge.repository(owner, { init: true });
    const base = await commitFiles(forge, name, 'main', { a: 'x\n' });
    const head = await commitFiles(forge, name, 'topic', { b: 'x\n' }, { parents: [base] });
    const stop = stoppingAt(1);
    const opening = createPull(otherProcess(stop.database), {
      repository: await repositoryOf(name),
      caller: { kind: 'user', account: owner.account, scopes: 'password' },
      source: { title: 'T', body: null },
      base: 'main',
      head: 'topic',
      headRepository: undefined,
      settings: {},
      now: forge.clock.now(),
    });
    await stop.reached;
    const next = await commitFiles(forge, name, 'topic', { c: 'x\n' }, { parents: [head] });
    stop.go();
    assert.equal(await opening, 1);
    const pull = (await owner.get(`/repos/${name}/pulls/1`)).body;
    assert.deepEqual([pull.head.sha, pull.commits], [next, 2]);
    assert.equal(await headRef(name, 1), next);
  });

  test('an intent that another process has finished writes nothing again', async () => {
    const { name, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const next = await commitOn(name, head, 'next');
    const { refs, now } = move(id, 'topic', head, next);
    const intentId = await forge.database.write((sql) =>
      insertIntent(sql, { repositoryId: id, refs, merge: undefined, kind: 'update', now }),
    );
    await forge.git.repository(id).updateRefs(refs);
    const change = { intentId, repositoryId: id, moves: refs, now };
    await completeChange(otherProcess(), change);
    const events = (await eventsOf(name, 'PushEvent')).length;
    await completeChange(otherProcess(), change);
    assert.equal((await eventsOf(name, 'PushEvent')).length, events);
  });

  test('a merge that something was pushed on top of before it was recorded is its merger’s', async () => {
    const { name, path } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const merging = stoppingAt(2);
    const pull = await forge.database.read((sql) => findPull(sql, id, 1));
    assert.ok(pull);
    const merge = mergePull(otherProcess(merging.database), {
      pull,
      repository: await repositoryOf(name),
      caller: { kind: 'user', account: owner.account, scopes: 'password' },
      method: 'merge',
      sha: undefined,
      input: { title: undefined, message: undefined },
      now: forge.clock.now(),
      offsetMinutes: 0,
    });
    await merging.reached;
    const tip = await forge.git.repository(id).readRef(branch('main'));
    assert.ok(tip);
    const above = await commitOn(name, tip, 'above');
    await changeRefs(otherProcess(), move(id, 'main', tip, above));
    const seen = (await owner.get(path)).body;
    assert.equal(seen.merged, true);
    assert.equal(seen.merged_by?.login, 'own');
    merging.go();
    assert.equal(await merge, tip);
    const recorded = (await owner.get(path)).body;
    assert.deepEqual([recorded.merged_by.login, recorded.merge_commit_sha], ['own', tip]);
    const closed = (await eventsOf(name, 'PullRequestEvent')).filter(
      (event) => event.payload.action === 'closed',
    );
    assert.equal(closed.length, 1);
  });
});
