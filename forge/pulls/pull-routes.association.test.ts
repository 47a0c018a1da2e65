import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('what the author of a pull is to its repository', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  /** The association of a pull that the author opens from a branch of a fork, or of the repository itself. */
  async function associationOf(author: TestUser, name: string, fork: boolean): Promise<string> {
    const head = fork ? (await author.post(`/repos/${name}/forks`)).body.full_name : name;
    const branch = `of-${author.login}`;
    const tip = (await author.get(`/repos/${name}/commits/main`)).body.sha;
    await commitFiles(forge, head, branch, { [branch]: 'x\n' }, { parents: [tip] });
    const input = { title: 'T', head: fork ? `${author.login}:${branch}` : branch, base: 'main' };
    const response = await author.post(`/repos/${name}/pulls`, input);
    assert.equal(response.status, 201, response.text);
    const [listed] = (await owner.get(`/repos/${name}/pulls`)).body;
    assert.equal(listed.author_association, response.body.author_association);
    return response.body.author_association;
  }

  test('is nothing for an outsider, and contributor once a pull was merged', async () => {
    const name = await forge.repository(owner, { init: true });
    const outsider = await forge.user();
    assert.equal(await associationOf(outsider, name, true), 'NONE');
    assert.equal((await owner.put(`/repos/${name}/pulls/1/merge`)).status, 200);
    assert.equal(
      (await owner.get(`/repos/${name}/pulls/1`)).body.author_association,
      'CONTRIBUTOR',
    );
  });

  test('is collaborator for who accepted an invitation, and owner for the owner', async () => {
    const name = await forge.repository(owner, { init: true });
    const friend = await forge.user();
    const invitation = await owner.put(`/repos/${name}/collaborators/${friend.login}`);
    await friend.patch(`/user/repository_invitations/${invitation.body.id}`);
    assert.equal(await associationOf(friend, name, false), 'COLLABORATOR');
    assert.equal(await associationOf(owner, name, false), 'OWNER');
  });

  test('is member in the repositories of one’s organization', async () => {
    const organization = await forge.organization(owner);
    const created = await owner.post(`/orgs/${organization.login}/repos`, {
      name: 'shared',
      auto_init: true,
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(await associationOf(owner, created.body.full_name, false), 'MEMBER');
  });
});
