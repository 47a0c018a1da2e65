import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a repository from a template', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    guest = await forge.user('guest');
    await forge.organization(owner, 'acme');
  });
  after(() => forge.close());

  async function template(options: { private?: boolean } = {}): Promise<string> {
    const name = await forge.repository(owner, options);
    await owner.patch(`/repos/${name}`, { is_template: true });
    return name;
  }

  test('is refused without access, of other repositories, to other owners, and without a branch', async () => {
    const secret = await template({ private: true });
    assert.equal((await guest.post(`/repos/${secret}/generate`, { name: 'x' })).status, 404);
    const name = await template();
    const path = `/repos/${name}/generate`;
    assert.equal((await forge.anonymous.post(path, { name: 'x' })).status, 401);
    const empty = await guest.post(path, { name: 'x' });
    assert.deepEqual([empty.status, empty.body.message], [422, 'The template has no branch.']);
    await commitFiles(forge, name, 'main', { a: 'a' });
    assert.equal((await guest.post(path, {})).status, 422);
    assert.equal((await guest.post(path, { name: '..' })).status, 422);
    assert.equal((await guest.post(path, { name: 'x', owner: 'nobody' })).status, 422);
    assert.equal((await guest.post(path, { name: 'x', owner: 'acme' })).status, 403);
    assert.equal((await guest.post(path, { name: 'x', owner: 'owner' })).status, 403);
    const narrow = await forge.withScopes(guest, ['public_repo']);
    assert.equal((await narrow.post(path, { name: 'x', private: true })).status, 403);
    await owner.patch(`/repos/${name}`, { is_template: false });
    const other = await guest.post(path, { name: 'x' });
    assert.equal(other.body.message, `${name} is not a template repository.`);
    assert.equal((await guest.get('/repos/guest/x')).status, 404);
  });

  test('has the files of the default branch in one commit, and nothing of the history', async () => {
    const name = await template();
    const old = await commitFiles(forge, name, 'main', { 'a.txt': 'old\n', 'dir/b.txt': 'b\n' });
    await commitFiles(forge, name, 'main', { 'a.txt': 'new\n' });
    await commitFiles(forge, name, 'side', { 'c.txt': 'c\n' }, { parents: [old] });
    const made = await guest.post(`/repos/${name}/generate`, { name: 'made', description: 'D' });
    assert.equal(made.status, 201, made.text);
    const { full_name: full, fork, description, is_template: isTemplate } = made.body;
    assert.deepEqual([full, fork, description, isTemplate], ['guest/made', false, 'D', false]);
    const commits = (await guest.get('/repos/guest/made/commits')).body;
    assert.equal(commits.length, 1);
    assert.deepEqual([commits[0].commit.message, commits[0].parents], ['Initial commit', []]);
    const file = (await guest.get('/repos/guest/made/contents/a.txt')).body;
    assert.equal(Buffer.from(file.content, 'base64').toString(), 'new\n');
    assert.equal((await guest.get('/repos/guest/made/contents/dir/b.txt')).status, 200);
    assert.equal((await guest.get('/repos/guest/made/branches')).body.length, 1);
    assert.equal((await guest.get(`/repos/guest/made/git/commits/${old}`)).status, 404);
    assert.equal((await guest.post(`/repos/${name}/generate`, { name: 'made' })).status, 422);
  });

  test('has all branches where they are asked for, over GraphQL and in organizations', async () => {
    const name = await template();
    const first = await commitFiles(forge, name, 'trunk', { 'a.txt': 'a\n' });
    await commitFiles(forge, name, 'side', { 'c.txt': 'c\n' }, { parents: [first] });
    await owner.patch(`/repos/${name}`, { default_branch: 'trunk' });
    const query = `mutation ($input: CloneTemplateRepositoryInput!) {
      cloneTemplateRepository(input: $input) { repository { nameWithOwner isPrivate defaultBranchRef { name } } } }`;
    const input = {
      repositoryId: (await owner.get(`/repos/${name}`)).body.node_id,
      ownerId: (await owner.get('/orgs/acme')).body.node_id,
      name: 'made',
      visibility: 'PRIVATE',
      includeAllBranches: true,
    };
    const refused = (await guest.post('/graphql', { query, variables: { input } })).body;
    assert.equal(refused.errors[0].type, 'FORBIDDEN');
    const { data, errors } = (await owner.post('/graphql', { query, variables: { input } })).body;
    assert.equal(errors, undefined, JSON.stringify(errors));
    assert.deepEqual(data.cloneTemplateRepository.repository, {
      nameWithOwner: 'acme/made',
      isPrivate: true,
      defaultBranchRef: { name: 'trunk' },
    });
    const branches = (await owner.get('/repos/acme/made/branches')).body;
    assert.deepEqual(
      branches.map((each: { name: string }) => each.name),
      ['side', 'trunk'],
    );
    assert.equal((await owner.get('/repos/acme/made/contents/c.txt?ref=side')).status, 200);
  });

  test('names its template, to those who may read it', async () => {
    const name = await template();
    await commitFiles(forge, name, 'main', { a: 'a' });
    const made = await guest.post(`/repos/${name}/generate`, { name: 'named' });
    assert.equal(made.body.template_repository.full_name, name);
    const path = '/repos/guest/named';
    const query = `{ repository(owner: "guest", name: "named") { templateRepository { nameWithOwner owner { login } } } }`;
    const ask = async (who: TestUser): Promise<{ nameWithOwner: string } | null> =>
      (await who.post('/graphql', { query })).body.data.repository.templateRepository;
    for (const who of [owner, guest]) {
      const shown = (await who.get(path)).body.template_repository;
      assert.deepEqual([shown.full_name, shown.is_template], [name, true]);
      assert.equal((await ask(who))?.nameWithOwner, name);
    }
    await owner.patch(`/repos/${name}`, { private: true });
    assert.equal((await guest.get(path)).body.template_repository, undefined);
    assert.equal((await forge.anonymous.get(path)).body.template_repository, undefined);
    assert.equal(await ask(guest), null);
    assert.equal((await owner.get(path)).body.template_repository.full_name, name);
    const narrow = await forge.withScopes(owner, ['public_repo']);
    assert.equal((await narrow.get(path)).body.template_repository, undefined);
    await owner.delete(`/repos/${name}`);
    assert.equal((await owner.get(path)).body.template_repository, undefined);
    assert.equal(await ask(owner), null);
    assert.equal((await guest.get(path)).status, 200);
    assert.equal(
      (await owner.get(`/repos/${await template()}`)).body.template_repository,
      undefined,
    );
  });
});
