import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';

import { RefusalError } from '../../errors/api-error.ts';
import { renderRefusal } from '../../errors/error-responses.ts';
import type { GitRepository } from '../../git/git.ts';
import {
  branchRef,
  noObject,
  type ObjectId,
  parseBranchName,
  parseObjectId,
} from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { commitFiles, repositoryId } from '../../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';
import { mergeFirstPull, openPull } from '../../testing/pull-fixture.ts';
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

  /** Does something when everything was decided, right before the intent is recorded. */
  function beforeTheIntent(meanwhile: () => Promise<unknown>): Ports {
    let writes = 0;
    const database: Database = {
      ...forge.database,
      async write(work, options) {
        writes += 1;
        // The first write of a merge is its intent.
        if (writes === 1) await meanwhile();
        return forge.database.write(work, options);
      },
    };
    return { ...forge.ports, database };
  }

  async function mergeWhile(
    name: string,
    sha: string | undefined,
    meanwhile: () => Promise<void>,
  ): Promise<ObjectId> {
    return mergeOn(beforeTheSwap(meanwhile), name, sha);
  }

  async function mergeOn(ports: Ports, name: string, sha: string | undefined): Promise<ObjectId> {
    return mergeFirstPull(forge, owner, name, { ports, sha: parseObjectId(sha ?? '') });
  }

  test('is compared in the transaction that moves the base', async () => {
    const { name, base, head } = await openPull(forge, owner);
    const next = await nextCommit(name, head);
    const commit = await mergeWhile(name, undefined, () => moveInGit(name, head, next));
    assert.deepEqual(await parentsOf(name, commit), [base, next]);
  });

  test('is a conflict when it moves meanwhile and the caller named the old one', async () => {
    const { name, base, head } = await openPull(forge, owner);
    const next = await nextCommit(name, head);
    await assert.rejects(
      mergeWhile(name, head, () => moveInGit(name, head, next)),
      (error) => error instanceof RefusalError && renderRefusal(error.refusal).status === 409,
    );
    assert.equal(await mainOf(name), base);
  });

  test('is the newer one when a push was recorded meanwhile', async () => {
    const { name, base, head } = await openPull(forge, owner);
    const push = async (): Promise<void> => {
      const change = { message: 'm', content: '', branch: 'topic' };
      assert.equal((await owner.put(`/repos/${name}/contents/next`, change)).status, 201);
    };
    const commit = await mergeOn(beforeTheIntent(push), name, undefined);
    const [first, second] = await parentsOf(name, commit);
    assert.equal(first, base);
    assert.deepEqual(await parentsOf(name, second ?? ''), [head]);
  });

  test('is not merged by a method that is disabled meanwhile', async () => {
    const { name, base } = await openPull(forge, owner);
    const disable = async (): Promise<void> => {
      const settings = { allow_merge_commit: false, allow_squash_merge: true };
      assert.equal((await owner.patch(`/repos/${name}`, settings)).status, 200);
    };
    await assert.rejects(mergeOn(beforeTheIntent(disable), name, undefined), (error) => {
      assert.ok(error instanceof RefusalError);
      assert.match(renderRefusal(error.refusal).message, /Merge commits are not allowed/);
      return true;
    });
    assert.equal(await mainOf(name), base);
  });

  test('must be up to date when the base comes to require it meanwhile', async () => {
    const { name, head } = await openPull(forge, owner);
    await owner.post(`/repos/${name}/statuses/${head}`, { state: 'success', context: 'check' });
    const ahead = { message: 'm', content: '', branch: 'main' };
    assert.equal((await owner.put(`/repos/${name}/contents/ahead`, ahead)).status, 201);
    const base = await mainOf(name);
    const protect = async (): Promise<void> => {
      const answer = await owner.put(`/repos/${name}/branches/main/protection`, {
        required_status_checks: { strict: true, contexts: ['check'] },
        enforce_admins: true,
        required_pull_request_reviews: null,
        restrictions: null,
      });
      assert.equal(answer.status, 200, answer.text);
    };
    await assert.rejects(mergeOn(beforeTheIntent(protect), name, undefined), (error) => {
      assert.ok(error instanceof RefusalError);
      assert.match(renderRefusal(error.refusal).message, /out of date/);
      return true;
    });
    assert.equal(await mainOf(name), base);
  });

  for (const [about, requirement] of [
    ['its deletion', { restrictions: null, allow_deletions: false }],
    ['pushes of the caller', { restrictions: { users: [], teams: [] }, allow_deletions: true }],
  ] as const) {
    const rules = {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: null,
      ...requirement,
    };

    /** A pull whose head branch goes with the merge, and its protection. */
    async function removablePull() {
      const organization = await forge.organization(owner);
      const path = `/orgs/${organization.login}/repos`;
      const made = await owner.post(path, { name: 'r', auto_init: true });
      assert.equal(made.status, 201, made.text);
      const name = made.body.full_name;
      const change = { message: 'm', content: '', branch: 'topic' };
      const main = await mainOf(name);
      await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/topic', sha: main });
      assert.equal((await owner.put(`/repos/${name}/contents/x`, change)).status, 201);
      const input = { title: 'T', head: 'topic', base: 'main' };
      assert.equal((await owner.post(`/repos/${name}/pulls`, input)).status, 201);
      await owner.patch(`/repos/${name}`, { delete_branch_on_merge: true });
      return {
        name,
        protect: async () => {
          const answer = await owner.put(`/repos/${name}/branches/topic/protection`, rules);
          assert.equal(answer.status, 200, answer.text);
        },
        remains: async () => (await owner.get(`/repos/${name}/branches/topic`)).status === 200,
      };
    }

    test(`stays with the merge where its rules forbid ${about}`, async () => {
      const { name, protect, remains } = await removablePull();
      await protect();
      assert.equal((await owner.put(`/repos/${name}/pulls/1/merge`)).status, 200);
      assert.equal(await remains(), true);
    });

    test(`stays with the merge where its rules come to forbid ${about} meanwhile`, async () => {
      const { name, protect, remains } = await removablePull();
      await mergeOn(beforeTheIntent(protect), name, undefined);
      assert.equal((await owner.get(`/repos/${name}/pulls/1`)).body.merged, true);
      assert.equal(await remains(), true);
    });
  }

  /** A pull from a fork whose owner is not the owner of the base. */
  async function pullFromFork() {
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
    return { upstream, main, contributor, fork, head };
  }

  test('is none when its fork is deleted right before it is read', async () => {
    const { upstream, main, contributor, fork } = await pullFromFork();
    const forkId = await repositoryId(forge, fork);
    const repository = (id: number): GitRepository => {
      const git = forge.git.repository(id);
      if (id !== forkId) return git;
      return {
        ...git,
        async readRef(ref) {
          assert.equal((await contributor.delete(`/repos/${fork}`)).status, 204);
          return git.readRef(ref);
        },
      };
    };
    const ports = { ...forge.ports, git: { ...forge.git, repository } };
    await assert.rejects(
      mergeFirstPull(forge, owner, upstream, { ports }),
      (error) => error instanceof RefusalError && renderRefusal(error.refusal).status === 405,
    );
    assert.equal(await mainOf(upstream), main);
  });

  test('is a fork’s branch too', async () => {
    const { upstream, main, fork, head } = await pullFromFork();
    const next = await nextCommit(fork, head);
    await moveInGit(fork, head, next);
    const path = `/repos/${upstream}/pulls/1`;
    assert.equal((await owner.put(`${path}/merge`, { sha: head })).status, 409);
    const merged = await owner.put(`${path}/merge`);
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual(await parentsOf(upstream, merged.body.sha), [main, next]);
  });
});
