import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { RefusalError } from '../../errors/api-error.ts';
import { renderRefusal } from '../../errors/error-responses.ts';
import { branchRef, parseBranchName, parseObjectId } from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { commitFiles, repositoryId } from '../../testing/commits.ts';
import { openPull } from '../../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';
import { findPull } from '../pull-store.ts';
import { updatePullBranch } from './update-pull-branch.ts';

describe('an update of the branch of a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own');
    guest = await forge.user('guest');
  });
  after(() => forge.close());

  /** A pull whose base is ahead of its head; the guest may push. */
  async function outdatedPull(): Promise<{ name: string; path: string; head: string }> {
    const { name, path, head } = await openPull(forge, owner);
    const change = { message: 'm', content: '', branch: 'main' };
    assert.equal((await owner.put(`/repos/${name}/contents/ahead`, change)).status, 201);
    const collaborator = `/repos/${name}/collaborators/guest`;
    assert.equal((await owner.put(collaborator, { permission: 'push' })).status, 201);
    const invitations = await guest.get('/user/repository_invitations');
    const { id } = invitations.body.at(-1);
    assert.equal((await guest.patch(`/user/repository_invitations/${id}`)).status, 204);
    return { name, path, head };
  }

  async function headOf(name: string): Promise<string> {
    return (await owner.get(`/repos/${name}/git/ref/heads/topic`)).body.object.sha;
  }

  /** The guest's update, in which something happens when everything was decided, right before the intent is recorded. */
  async function updateWhile(name: string, meanwhile: () => Promise<unknown>): Promise<void> {
    let writes = 0;
    const database: Ports['database'] = {
      ...forge.database,
      async write(work, options) {
        writes += 1;
        // The first write of an update is its intent.
        if (writes === 1) await meanwhile();
        return forge.database.write(work, options);
      },
    };
    const id = await repositoryId(forge, name);
    const pull = await forge.database.read((sql) => findPull(sql, id, 1));
    assert.ok(pull);
    await updatePullBranch(
      { ...forge.ports, database },
      {
        pull,
        caller: { kind: 'user', account: guest.account, scopes: 'password' },
        expectedHeadSha: undefined,
        now: forge.clock.now(),
        offsetMinutes: 0,
      },
    );
  }

  for (const [what, status, meanwhile] of [
    [
      'the caller loses push access',
      403,
      (name) => owner.delete(`/repos/${name}/collaborators/guest`),
    ],
    [
      'the pull is closed',
      422,
      (name) => owner.patch(`/repos/${name}/pulls/1`, { state: 'closed' }),
    ],
    [
      'the repository is archived',
      403,
      (name) => owner.patch(`/repos/${name}`, { archived: true }),
    ],
    [
      'the pull gets another base',
      422,
      async (name) => {
        const main = (await owner.get(`/repos/${name}/pulls/1`)).body.base.sha;
        await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/other', sha: main });
        return owner.patch(`/repos/${name}/pulls/1`, { base: 'other' });
      },
    ],
  ] as readonly [string, number, (name: string) => Promise<{ status: number }>][]) {
    test(`is refused when ${what} meanwhile`, async () => {
      const { name, head } = await outdatedPull();
      const update = updateWhile(name, async () => {
        const { status: done } = await meanwhile(name);
        assert.ok(done < 300, String(done));
      });
      await assert.rejects(
        update,
        (error) => error instanceof RefusalError && renderRefusal(error.refusal).status === status,
      );
      assert.equal(await headOf(name), head);
    });
  }

  test('compares the expected head with the branch, although the row does not follow yet', async () => {
    const { name, path, head } = await outdatedPull();
    const next = await commitFiles(forge, name, 'keep', { next: 'x' }, { parents: [head] });
    const [topic, old] = [parseBranchName('topic'), parseObjectId(head)];
    assert.ok(topic && old);
    const git = forge.git.repository(await repositoryId(forge, name));
    await git.updateRefs([{ ref: branchRef(topic), old, new: next }]);
    const outdated = await owner.put(`${path}/update-branch`, { expected_head_sha: head });
    assert.equal(outdated.status, 422, outdated.text);
    assert.equal(await headOf(name), next);
    const updated = await owner.put(`${path}/update-branch`, { expected_head_sha: next });
    assert.equal(updated.status, 202, updated.text);
  });
});
