import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { repositoryId } from '../testing/commits.ts';
import { addCollaborator, openForkPull, type OpenedPull } from '../testing/pull-fixture.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';
import { headsOpenToMaintainers } from './pull-store.ts';

const allow = { maintainer_can_modify: true };

describe('edits by the maintainers of the base', () => {
  let forge: TestForge;
  let owner: TestUser;
  let author: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('maintainer');
    author = await forge.user('author');
  });
  after(() => forge.close());

  const flagOf = async ({ path }: OpenedPull): Promise<unknown> =>
    (await owner.get(path)).body.maintainer_can_modify;

  const updateBranch = ({ path }: OpenedPull): Promise<TestResponse> =>
    owner.send('PUT', `${path}/update-branch`, {
      body: {},
      headers: { accept: 'application/vnd.github.lydian-preview+json' },
    });

  async function growBase({ name }: OpenedPull): Promise<void> {
    const change = { message: 'More', content: 'eA==' };
    assert.equal((await owner.put(`/repos/${name}/contents/more`, change)).status, 201);
  }

  test('are not allowed by who may push to the base alone', async () => {
    const pull = await openForkPull(forge, owner, author);
    const refused = await owner.patch(pull.path, { ...allow, title: 'Mine now' });
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.body.errors[0].field, 'fork_collab');
    const query =
      'mutation($input: UpdatePullRequestInput!) { updatePullRequest(input: $input) { clientMutationId } }';
    const input = { pullRequestId: pull.response.body.node_id, maintainerCanModify: true };
    const mutation = await owner.post('/graphql', { query, variables: { input } });
    assert.match(mutation.text, /Fork collab can't be granted/);
    const { body } = await owner.get(pull.path);
    assert.deepEqual([body.maintainer_can_modify, body.title], [false, 'From a fork']);
    await growBase(pull);
    assert.equal((await updateBranch(pull)).status, 403);
    const repeated = await owner.patch(pull.path, { maintainer_can_modify: false });
    assert.equal(repeated.status, 200, repeated.text);
  });

  test('are allowed by who may push to the fork, and refused by who may edit the pull', async () => {
    const pull = await openForkPull(forge, owner, author);
    const helper = await forge.user();
    await addCollaborator(author, helper, pull.fork, 'push');
    assert.equal((await helper.patch(pull.path, allow)).body.maintainer_can_modify, true);
    assert.equal((await owner.patch(pull.path, allow)).status, 200, 'it is so already');
    await growBase(pull);
    assert.equal((await updateBranch(pull)).status, 202);
    assert.equal((await owner.patch(pull.path, { maintainer_can_modify: false })).status, 200);
    assert.equal((await owner.patch(pull.path, allow)).status, 422);
    assert.equal(await flagOf(pull), false);
  });

  test('are not allowed by an author who may no longer push', async () => {
    const pull = await openForkPull(forge, owner, author);
    const helper = await forge.user();
    await addCollaborator(author, helper, pull.fork, 'push');
    const body = { title: 'Second', head: 'author:topic', base: 'second' };
    const sha = pull.base;
    await owner.post(`/repos/${pull.name}/git/refs`, { ref: 'refs/heads/second', sha });
    const opened = await helper.post(`/repos/${pull.name}/pulls`, body);
    assert.equal(opened.status, 201, opened.text);
    await author.delete(`/repos/${pull.fork}/collaborators/${helper.login}`);
    const path = `/repos/${pull.name}/pulls/${opened.body.number}`;
    assert.equal((await helper.patch(path, allow)).status, 422);
    assert.equal((await helper.patch(path, { title: 'Still mine' })).status, 200);
  });

  test('never extend to the fork of an organization', async () => {
    const { login: organization } = await forge.organization(author);
    const pull = await openForkPull(forge, owner, author, { organization, body: allow });
    assert.equal(await flagOf(pull), false);
    assert.equal((await author.patch(pull.path, allow)).body.maintainer_can_modify, false);
    assert.equal((await owner.patch(pull.path, allow)).status, 422);
    assert.equal(await flagOf(pull), false);
  });

  test('do not reach the fork of an organization by what was stored before', async () => {
    const { login: organization } = await forge.organization(author);
    const pull = await openForkPull(forge, owner, author, { organization });
    await forge.database.write((sql) =>
      sql.run('update pulls set maintainer_can_modify = 1 where head_ref = $1', 'topic'),
    );
    await growBase(pull);
    const refused = await updateBranch(pull);
    assert.equal(refused.status, 403, refused.text);
    const headId = await repositoryId(forge, pull.fork);
    const open = await forge.database.read((sql) => headsOpenToMaintainers(sql, headId));
    assert.deepEqual(open, []);
  });

  test('end when the fork becomes one of an organization', async () => {
    const { login } = await forge.organization(author);
    const pull = await openForkPull(forge, owner, author, { body: allow });
    assert.equal(await flagOf(pull), true);
    const moved = await author.post(`/repos/${pull.fork}/transfer`, { new_owner: login });
    assert.equal(moved.status, 202, moved.text);
    assert.equal(await flagOf(pull), false);
    await growBase(pull);
    assert.equal((await updateBranch(pull)).status, 403);
  });

  test('do not reach a fork that the maintainer may not read', async () => {
    const pull = await openForkPull(forge, owner, author, { private: true, body: allow });
    const maintainer = await forge.user();
    await addCollaborator(owner, maintainer, pull.name, 'push');
    assert.equal((await maintainer.get(`/repos/${pull.fork}`)).status, 404);
    await growBase(pull);
    const headers = { accept: 'application/vnd.github.lydian-preview+json' };
    const request = { body: {}, headers };
    const update = `${pull.path}/update-branch`;
    const refused = await maintainer.send('PUT', update, request);
    assert.equal(refused.status, 403, refused.text);
    await addCollaborator(author, maintainer, pull.fork, 'pull');
    assert.equal((await maintainer.send('PUT', update, request)).status, 202);
  });
});
