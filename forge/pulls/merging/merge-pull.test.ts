import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { GitRepository } from '../../git/git.ts';
import {
  branchRef,
  noObject,
  type ObjectId,
  parseBranchName,
  parseObjectId,
} from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { commitFiles, repositoryId } from '../../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';
import { openPull } from '../endpoints/pull-fixture.ts';
import { mergePull } from './merge-pull.ts';
import { findPull } from '../pull-store.ts';
import type { RefUpdate } from '../../git/ref-update.ts';

describe('the head that is merged', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  const topic = parseBranchName('topic');
  assert.ok(topic);
  const topicRef = branchRef(topic);

  /** Moves the branch in git alone, as a push has whose rows are not written yet. */
  async function moveInGit(name: string, old: string, next: ObjectId): Promise<void> {
    const from = parseObjectId(old);
    assert.ok(from);
    const git = forge.git.repository(await repositoryId(forge, name));
    const result = await git.updateRefs([{ ref: topicRef, old: from, new: next }]);
    assert.equal(result.kind, 'updated');
  }

  async function nextCommit(name: string, parent: string): Promise<ObjectId> {
    return commitFiles(forge, name, 'keep', { next: 'x\n' }, { parents: [parent] });
  }

  async function parentsOf(name: string, sha: string): Promise<string[]> {
    const { body } = await owner.get(`/repos/${name}/git/commits/${sha}`);
    return body.parents.map((parent: { sha: string }) => parent.sha);
  }

  async function mainOf(name: string): Promise<string> {
    return (await owner.get(`/repos/${name}/git/ref/heads/main`)).body.object.sha;
  }

  test('is the branch’s, although the row does not follow yet', async () => {
    const { name, path, base, head } = await openPull(forge, owner);
    const next = await nextCommit(name, head);
    await moveInGit(name, head, next);
    const outdated = await owner.put(`${path}/merge`, { sha: head });
    assert.equal(outdated.status, 409, outdated.text);
    assert.equal(
      outdated.body.message,
      'Head branch was modified. Review and try the merge again.',
    );
    assert.equal(await mainOf(name), base);
    const merged = await owner.put(`${path}/merge`, { sha: next });
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual(await parentsOf(name, merged.body.sha), [base, next]);
  });

  test('is looked at by itself when the caller names none', async () => {
    const { name, path, base, head } = await openPull(forge, owner);
    const next = await nextCommit(name, head);
    await moveInGit(name, head, next);
    const merged = await owner.put(`${path}/merge`);
    assert.deepEqual(await parentsOf(name, merged.body.sha), [base, next]);
    assert.equal((await owner.get(path)).body.head.sha, next);
  });

  test('is none when the branch is gone, and then nothing is merged', async () => {
    const { name, path, base, head } = await openPull(forge, owner);
    await moveInGit(name, head, noObject);
    assert.equal((await owner.put(`${path}/merge`)).status, 405);
    assert.equal(await mainOf(name), base);
    assert.equal((await owner.get(path)).body.state, 'closed');
  });

  /** Does something in git right before the base branch is swapped. */
  function beforeTheSwap(meanwhile: () => Promise<void>): Ports {
    let waiting = true;
    const wrap = (repository: GitRepository): GitRepository => ({
      ...repository,
      async updateRefs(updates: readonly RefUpdate[]) {
        if (waiting && updates.some((update) => update.ref === 'refs/heads/main')) {
          waiting = false;
          await meanwhile();
        }
        return repository.updateRefs(updates);
      },
    });
    return {
      ...forge.ports,
      git: { ...forge.git, repository: (id) => wrap(forge.git.repository(id)) },
    };
  }

  async function mergeWhile(
    name: string,
    sha: string | undefined,
    meanwhile: () => Promise<void>,
  ): Promise<ObjectId> {
    const id = await repositoryId(forge, name);
    const [pull, repository] = await forge.database.read(
      async (sql) =>
        [await findPull(sql, id, 1), (await repositoriesById(sql, [id])).get(id)] as const,
    );
    assert.ok(pull && repository);
    return mergePull(beforeTheSwap(meanwhile), {
      pull,
      repository,
      caller: { kind: 'user', account: owner.account, scopes: 'password' },
      method: 'merge',
      sha: sha === undefined ? undefined : parseObjectId(sha),
      wish: { title: undefined, message: undefined },
      now: forge.clock.now(),
      offsetMinutes: 0,
    });
  }

  test('is compared at the moment when the base moves', async () => {
    const { name, base, head } = await openPull(forge, owner);
    const next = await nextCommit(name, head);
    const commit = await mergeWhile(name, undefined, () => moveInGit(name, head, next));
    assert.deepEqual(await parentsOf(name, commit), [base, next]);
  });

  test('is a conflict when it moves in that moment and the caller named the old one', async () => {
    const { name, base, head } = await openPull(forge, owner);
    const next = await nextCommit(name, head);
    await assert.rejects(
      mergeWhile(name, head, () => moveInGit(name, head, next)),
      { message: 'conflict' },
    );
    assert.equal(await mainOf(name), base);
  });

  test('is a fork’s branch too', async () => {
    const upstream = await forge.repository(owner, { init: true });
    const main = await mainOf(upstream);
    const contributor = await forge.user();
    const fork = (await contributor.post(`/repos/${upstream}/forks`)).body.full_name;
    const head = await commitFiles(forge, fork, 'topic', { a: 'x\n' }, { parents: [main] });
    const opened = await contributor.post(`/repos/${upstream}/pulls`, {
      title: 'T',
      head: `${contributor.login}:topic`,
      base: 'main',
    });
    assert.equal(opened.status, 201, opened.text);
    const next = await nextCommit(fork, head);
    await moveInGit(fork, head, next);
    const path = `/repos/${upstream}/pulls/1`;
    assert.equal((await owner.put(`${path}/merge`, { sha: head })).status, 409);
    const merged = await owner.put(`${path}/merge`);
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual(await parentsOf(upstream, merged.body.sha), [main, next]);
  });
});
