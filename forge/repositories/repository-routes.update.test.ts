import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('editing a repository', () => {
  let forge: TestForge;
  let owner: TestUser;
  let writer: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    writer = await forge.user('writer');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function withWriter(name: string): Promise<void> {
    await owner.put(`/repos/${name}/collaborators/writer`, { permission: 'push' });
    const [invitation] = (await writer.get('/user/repository_invitations')).body;
    assert.equal((await writer.patch(`/user/repository_invitations/${invitation.id}`)).status, 204);
  }

  test('only administrators edit: others get 401, 403, or 404 where the repository is private', async () => {
    const open = await forge.repository(owner);
    const hidden = await forge.repository(owner, { private: true });
    await withWriter(open);
    const edit = { description: 'mine' };
    assert.equal((await forge.anonymous.patch(`/repos/${open}`, edit)).status, 401);
    const responses = [
      await outsider.patch(`/repos/${open}`, edit),
      await writer.patch(`/repos/${open}`, edit),
    ];
    for (const response of responses) {
      assert.equal(response.status, 403);
      assert.equal(response.body.message, 'Must have admin rights to Repository.');
    }
    assert.equal((await outsider.patch(`/repos/${hidden}`, edit)).status, 404);
  });

  test('a body of the wrong shape is refused', async () => {
    const name = await forge.repository(owner);
    assert.equal((await owner.patch(`/repos/${name}`, '{')).status, 400);
    const wrong = await owner.patch(`/repos/${name}`, { private: 'yes' });
    assert.equal(wrong.status, 422);
    assert.match(
      wrong.body.errors[0].message,
      /For 'properties\/private', "yes" is not a boolean\./,
    );
    const internal = await owner.patch(`/repos/${name}`, { visibility: 'internal' });
    assert.match(
      internal.body.errors[0].message,
      /internal is not a member of \["public", "private"\]\./,
    );
  });

  test('settings are changed, and those that are not named stay', async () => {
    const name = await forge.repository(owner);
    forge.clock.advance(60_000);
    const response = await owner.patch(`/repos/${name}`, {
      description: 'Tools',
      homepage: 'https://example.test',
      has_issues: false,
      has_projects: false,
      has_wiki: false,
      has_downloads: false,
      is_template: true,
      allow_squash_merge: false,
      delete_branch_on_merge: true,
    });
    assert.equal(response.status, 200, response.text);
    const { body } = await owner.get(`/repos/${name}`);
    assert.deepEqual(response.body, body);
    assert.equal(body.description, 'Tools');
    assert.equal(body.homepage, 'https://example.test');
    assert.deepEqual(
      [body.has_issues, body.has_projects, body.has_wiki, body.has_downloads, body.is_template],
      [false, false, false, false, true],
    );
    assert.deepEqual(
      [body.allow_merge_commit, body.allow_squash_merge, body.allow_rebase_merge],
      [true, false, true],
    );
    assert.equal(body.delete_branch_on_merge, true);
    assert.notEqual(body.updated_at, body.created_at);
    const cleared = await owner.patch(`/repos/${name}`, { description: null });
    assert.equal(cleared.body.description, null);
    assert.equal(cleared.body.homepage, 'https://example.test');
  });

  test('POST stands in for PATCH', async () => {
    const name = await forge.repository(owner);
    const response = await owner.post(`/repos/${name}`, { description: 'posted' });
    assert.equal(response.status, 200);
    assert.equal(response.body.description, 'posted');
  });

  test('the last merge method cannot be switched off, at creation neither', async () => {
    const name = await forge.repository(owner);
    await owner.patch(`/repos/${name}`, { allow_merge_commit: false, allow_rebase_merge: false });
    const last = await owner.patch(`/repos/${name}`, { allow_squash_merge: false });
    assert.equal(last.status, 422);
    assert.match(last.body.errors[0].message, /at least one merge strategy/);
    assert.equal((await owner.get(`/repos/${name}`)).body.allow_squash_merge, true);
    const swapped = await owner.patch(`/repos/${name}`, {
      allow_squash_merge: false,
      allow_rebase_merge: true,
    });
    assert.equal(swapped.status, 200);
    const created = await owner.post('/user/repos', {
      name: 'no-merge',
      allow_merge_commit: false,
      allow_squash_merge: false,
      allow_rebase_merge: false,
    });
    assert.equal(created.status, 422);
  });

  test('a name that is empty or taken is refused', async () => {
    const name = await forge.repository(owner);
    await forge.repository(owner, { name: 'taken' });
    assert.equal((await owner.patch(`/repos/${name}`, { name: ' ' })).status, 422);
    const taken = await owner.patch(`/repos/${name}`, { name: 'TAKEN' });
    assert.equal(taken.status, 422);
    assert.deepEqual(taken.body.errors, [
      {
        resource: 'Repository',
        code: 'custom',
        field: 'name',
        message: 'name already exists on this account',
      },
    ]);
  });

  test('a renamed repository is found under its old name by redirect, with the rest of the path and the query', async () => {
    await forge.repository(owner, { name: 'old' });
    const renamed = await owner.patch('/repos/own/old', { name: 'new' });
    assert.equal(renamed.body.full_name, 'own/new');
    const moved = await forge.anonymous.get('/repos/own/OLD/pulls?state=all&page=2');
    const home = `http://forge.test/api/v3/repositories/${renamed.body.id}`;
    assert.equal(moved.status, 301);
    assert.equal(moved.headers['location'], `${home}/pulls?state=all&page=2`);
    assert.equal(moved.headers['etag'], undefined);
    assert.equal(moved.body.message, 'Moved Permanently');
    assert.equal(moved.body.url, moved.headers['location']);
    assert.match(moved.body.documentation_url, /#http-redirects$/);
    assert.equal((await forge.anonymous.get('/repos/own/old')).headers['location'], home);
    for (const method of ['PATCH', 'PUT', 'DELETE', 'POST']) {
      const path = method === 'PUT' ? '/repos/own/old/topics' : '/repos/own/old';
      const response = await owner.send(method, path, { body: {} });
      assert.equal(response.status, 307, method);
      assert.equal(response.body.message, 'Moved Permanently');
    }
    assert.equal((await owner.get('/repos/own/new')).status, 200);
  });

  test('a redirect to a private repository is shown only to those who may read it', async () => {
    await forge.repository(owner, { name: 'secret', private: true });
    await owner.patch('/repos/own/secret', { name: 'secret-2' });
    assert.equal((await outsider.get('/repos/own/secret')).status, 404);
    assert.equal((await owner.get('/repos/own/secret')).status, 301);
  });

  test('an old name can be taken anew, and taken back by a rename', async () => {
    await forge.repository(owner, { name: 'one' });
    const first = await owner.patch('/repos/own/one', { name: 'two' });
    const back = await owner.patch('/repos/own/two', { name: 'one' });
    assert.equal((await owner.get('/repos/own/one')).body.id, first.body.id);
    assert.equal((await owner.get('/repos/own/two')).status, 301);
    await forge.repository(owner, { name: 'two' });
    assert.notEqual((await owner.get('/repos/own/two')).body.id, back.body.id);
    const recased = await owner.patch('/repos/own/one', { name: 'One' });
    assert.equal(recased.body.full_name, 'own/One');
    assert.equal((await owner.get('/repos/own/one')).status, 200);
  });

  test('the default branch must exist, and git heads for it', async () => {
    const empty = await forge.repository(owner);
    const nothing = await owner.patch(`/repos/${empty}`, { default_branch: 'next' });
    assert.equal(nothing.status, 422);
    assert.match(nothing.body.errors[0].message, /for an empty repository/);
    const name = await forge.repository(owner, { init: true });
    const missing = await owner.patch(`/repos/${name}`, { default_branch: 'next' });
    assert.equal(missing.status, 422);
    assert.equal(missing.body.errors[0].field, 'default_branch');
    assert.match(missing.body.errors[0].message, /The branch next was not found/);
    await commitFiles(forge, name, 'next', { a: '1' });
    const response = await owner.patch(`/repos/${name}`, { default_branch: 'next' });
    assert.equal(response.body.default_branch, 'next');
    const head = forge.git.repository(await repositoryId(forge, name));
    assert.ok(await head.resolveCommit('next'));
  });

  test('a clone gets the branch that the API shows also where the change of it was refused', async () => {
    const [name, taken] = [await forge.repository(owner), await forge.repository(owner)];
    await commitFiles(forge, name, 'main', { a: '1' });
    await commitFiles(forge, name, 'next', { a: '1' });
    const [, used = ''] = taken.split('/');
    const refused = await owner.patch(`/repos/${name}`, { name: used, default_branch: 'next' });
    assert.equal(refused.status, 422, refused.text);
    assert.equal((await owner.get(`/repos/${name}`)).body.default_branch, 'main');
    const git = forge.git.repository(await repositoryId(forge, name));
    const advertised = await (await git.advertise('upload-pack', undefined)).toArray();
    assert.match(Buffer.concat(advertised).toString(), /symref=HEAD:refs\/heads\/main/);
  });

  test('private hides a repository, public shows it again', async () => {
    const name = await forge.repository(owner);
    assert.equal((await outsider.get(`/repos/${name}`)).status, 200);
    assert.equal((await owner.patch(`/repos/${name}`, { private: true })).body.private, true);
    assert.equal((await outsider.get(`/repos/${name}`)).status, 404);
    const shown = await owner.patch(`/repos/${name}`, { visibility: 'public' });
    assert.equal(shown.body.visibility, 'public');
    assert.equal((await outsider.get(`/repos/${name}`)).status, 200);
  });

  test('an archived repository refuses every change but leaving the archive', async () => {
    const name = await forge.repository(owner, { init: true });
    assert.equal((await owner.patch(`/repos/${name}`, { archived: true })).body.archived, true);
    const writes = [
      await owner.patch(`/repos/${name}`, { description: 'x' }),
      await owner.patch(`/repos/${name}`, { archived: true }),
      await owner.put(`/repos/${name}/topics`, { names: ['x'] }),
      await owner.post(`/repos/${name}/transfer`, { new_owner: 'x' }),
    ];
    for (const response of writes) {
      assert.equal(response.status, 403, response.text);
      assert.equal(response.body.message, 'Repository was archived so is read-only.');
    }
    assert.equal((await outsider.patch(`/repos/${name}`, { archived: false })).status, 403);
    const back = await owner.patch(`/repos/${name}`, { archived: false, description: 'back' });
    assert.equal(back.status, 200);
    assert.deepEqual([back.body.archived, back.body.description], [false, 'back']);
  });

  test('topics are replaced as a whole, in lower case; bad ones are refused', async () => {
    const name = await forge.repository(owner);
    assert.deepEqual((await forge.anonymous.get(`/repos/${name}/topics`)).body, { names: [] });
    assert.equal((await owner.put(`/repos/${name}/topics`, {})).status, 422);
    assert.equal((await owner.put(`/repos/${name}/topics`, { names: ['no spaces'] })).status, 422);
    const many = Array.from({ length: 21 }, (_, index) => `t${index}`);
    assert.equal((await owner.put(`/repos/${name}/topics`, { names: many })).status, 422);
    const response = await owner.put(`/repos/${name}/topics`, { names: ['Git', 'git', 'ci'] });
    assert.deepEqual(response.body, { names: ['git', 'ci'] });
    assert.deepEqual((await owner.get(`/repos/${name}`)).body.topics, ['git', 'ci']);
  });
});
