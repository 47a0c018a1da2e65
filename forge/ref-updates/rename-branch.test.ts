import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { GitRepository } from '../git/git.ts';
import { branchRef, noObject, type ObjectId, parseBranchName } from '../git/names.ts';
import type { RefUpdate } from '../git/ref-update.ts';
import type { Ports } from '../ports/ports.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { reconcile } from '../testing/reconcile.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { syncPulls } from './complete-change.ts';
import { openIntents } from './intent-store.ts';
import { renameBranch } from './rename-branch.ts';

const rules = {
  required_status_checks: { strict: false, contexts: ['ci'] },
  enforce_admins: true,
  required_pull_request_reviews: null,
  restrictions: null,
};

describe('a renaming whose rows have not followed', () => {
  /** The process ends here. */
  class Crash extends Error {}

  let forge: TestForge;
  let owner: TestUser;
  let mate: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    mate = await forge.user('mate');
  });
  after(() => forge.close());

  interface Branches {
    readonly name: string;
    readonly id: number;
    readonly tip: ObjectId;
    /** A commit after the tip that no rule has let in. */
    readonly unreviewed: ObjectId;
    /** The number of a pull from `topic` into `main`. */
    readonly pull: number;
  }

  async function branches(): Promise<Branches> {
    const name = await forge.repository(owner);
    const tip = await commitFiles(forge, name, 'main', { a: '1' });
    const unreviewed = await commitFiles(forge, name, 'topic', { a: '2' }, { parents: [tip] });
    const { body: invitation } = await owner.put(`/repos/${name}/collaborators/mate`);
    await mate.patch(`/user/repository_invitations/${invitation.id}`);
    const protection = await owner.put(`/repos/${name}/branches/main/protection`, rules);
    assert.equal(protection.status, 200);
    const { body } = await owner.post(`/repos/${name}/pulls`, {
      title: 'Change',
      head: 'topic',
      base: 'main',
    });
    const id = await repositoryId(forge, name);
    return { name, id, tip, unreviewed, pull: body.number };
  }

  /** Renames with a process that ends before git has moved the refs, between them, or after. */
  async function renameWithCrash(
    { id }: Branches,
    from: string,
    to: string,
    when: 'before' | 'between' | 'after',
  ): Promise<void> {
    const wrap = (repository: GitRepository): GitRepository => ({
      ...repository,
      async updateRefs(updates: readonly RefUpdate[]) {
        const made = {
          before: [],
          between: updates.filter((each) => each.new !== noObject),
          after: updates,
        };
        if (made[when].length > 0) await repository.updateRefs(made[when]);
        throw new Crash();
      },
    });
    const ports: Ports = {
      ...forge.ports,
      git: { ...forge.git, repository: (each) => wrap(forge.git.repository(each)) },
      background: { run() {}, idle: async () => {}, close: async () => {} },
    };
    const scopes = new Set(['repo'] as const);
    const caller = { kind: 'user', account: owner.account, scopes } as const;
    const now = forge.clock.now();
    const renaming = renameBranch(ports, { repositoryId: id, caller, from, to, now });
    await assert.rejects(renaming, Crash);
    assert.equal((await forge.database.read(openIntents)).length, 1);
  }

  async function finished({ name }: Branches, from: string, to: string): Promise<void> {
    assert.equal((await forge.database.read(openIntents)).length, 0);
    assert.equal((await owner.get(`/repos/${name}/git/ref/heads/${from}`)).status, 404);
    assert.equal((await owner.get(`/repos/${name}/git/ref/heads/${to}`)).status, 200);
  }

  test('lets nothing move a ref of either name', async () => {
    const repository = await branches();
    const { name, pull, tip, unreviewed } = repository;
    await renameWithCrash(repository, 'main', 'trunk', 'after');
    const refs = `/repos/${name}/git/refs`;
    const attempts = [
      await mate.patch(`${refs}/heads/trunk`, { sha: unreviewed, force: true }),
      await mate.post(refs, { ref: 'refs/heads/main', sha: unreviewed }),
      await mate.delete(`${refs}/heads/trunk`),
      await owner.put(`/repos/${name}/contents/b`, {
        message: 'b',
        content: 'Yg==',
        branch: 'trunk',
      }),
      await owner.put(`/repos/${name}/pulls/${pull}/merge`),
      await owner.post(`/repos/${name}/branches/trunk/rename`, { new_name: 'other' }),
    ];
    const renamed = 'The branch is being renamed. Try again.';
    // The rules of the branch are still under its old name.
    const rule = 'Required status check "ci" is expected.';
    assert.deepEqual(
      attempts.map(({ status, body }) => [status, body.message]),
      [
        [409, renamed],
        [422, rule],
        [409, renamed],
        [409, renamed],
        [405, rule],
        [409, renamed],
      ],
    );
    await reconcile(forge.ports);
    await finished(repository, 'main', 'trunk');
    const { body: trunk } = await owner.get(`/repos/${name}/branches/trunk`);
    assert.deepEqual([trunk.commit.sha, trunk.protected], [tip, true]);
  });

  test('refuses a merge into it until the rows have followed', async () => {
    const repository = await branches();
    const { name, pull } = repository;
    const protection = `/repos/${name}/branches/main/protection`;
    assert.equal((await owner.delete(protection)).status, 204);
    await renameWithCrash(repository, 'main', 'trunk', 'after');
    const merged = await owner.put(`/repos/${name}/pulls/${pull}/merge`);
    await reconcile(forge.ports);
    assert.deepEqual(
      [merged.status, merged.body.message],
      [409, 'The branch is being renamed. Try again.'],
    );
    assert.equal((await owner.put(`/repos/${name}/pulls/${pull}/merge`)).status, 200);
  });

  for (const when of ['between', 'after'] as const) {
    test(`is finished where the process ended ${when} the moves of its refs`, async () => {
      const repository = await branches();
      const { name, pull } = repository;
      await renameWithCrash(repository, 'main', 'trunk', when);
      await reconcile(forge.ports);
      await finished(repository, 'main', 'trunk');
      const { body: renamed } = await owner.get(`/repos/${name}`);
      assert.equal(renamed.default_branch, 'trunk');
      const { body: protection } = await owner.get(`/repos/${name}/branches/trunk/protection`);
      assert.deepEqual(protection.required_status_checks.contexts, ['ci']);
      const { body } = await owner.get(`/repos/${name}/pulls/${pull}`);
      assert.deepEqual([body.state, body.base.ref, body.head.ref], ['open', 'trunk', 'topic']);
    });
  }

  test('is forgotten where git has moved nothing', async () => {
    const repository = await branches();
    const { name, pull, tip } = repository;
    await renameWithCrash(repository, 'main', 'trunk', 'before');
    await reconcile(forge.ports);
    await finished(repository, 'trunk', 'main');
    const { body: main } = await owner.get(`/repos/${name}/branches/main`);
    assert.deepEqual([main.commit.sha, main.protected], [tip, true]);
    assert.equal((await owner.get(`/repos/${name}/pulls/${pull}`)).body.state, 'open');
    const again = await owner.post(`/repos/${name}/branches/main/rename`, { new_name: 'trunk' });
    assert.equal(again.status, 201);
  });

  test('closes no pull of the branch, whatever looks at the old name', async () => {
    const repository = await branches();
    const { name, id, pull } = repository;
    await renameWithCrash(repository, 'topic', 'change', 'after');
    const topic = parseBranchName('topic');
    assert.ok(topic);
    await syncPulls(forge.ports, id, [branchRef(topic)]);
    assert.equal((await owner.get(`/repos/${name}/pulls/${pull}`)).body.state, 'open');
    await reconcile(forge.ports);
    await finished(repository, 'topic', 'change');
    const { body } = await owner.get(`/repos/${name}/pulls/${pull}`);
    assert.deepEqual([body.state, body.head.ref], ['open', 'change']);
  });

  test('leaves rules and a pull that the new name has got meanwhile', async () => {
    const repository = await branches();
    const { name, pull } = repository;
    await renameWithCrash(repository, 'topic', 'change', 'after');
    const own = { ...rules, required_status_checks: { strict: false, contexts: ['own'] } };
    const set = await owner.put(`/repos/${name}/branches/change/protection`, own);
    assert.equal(set.status, 200);
    const { body: newer } = await owner.post(`/repos/${name}/pulls`, {
      title: 'Change again',
      head: 'change',
      base: 'main',
    });
    await reconcile(forge.ports);
    await finished(repository, 'topic', 'change');
    const { body: protection } = await owner.get(`/repos/${name}/branches/change/protection`);
    assert.deepEqual(protection.required_status_checks.contexts, ['own']);
    const stateOf = async (number: number): Promise<string> =>
      (await owner.get(`/repos/${name}/pulls/${number}`)).body.state;
    assert.deepEqual([await stateOf(newer.number), await stateOf(pull)], ['open', 'closed']);
  });
});
