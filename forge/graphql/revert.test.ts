import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const revert = `mutation ($id: ID!, $title: String, $draft: Boolean) {
  revertPullRequest(input: { pullRequestId: $id, title: $title, draft: $draft }) {
    pullRequest { id } revertPullRequest { number title body isDraft headRefName baseRefName } } }`;

describe('reverting a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  const ask = async (
    who: TestUser,
    id: string,
    more: object = {},
    // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  ): Promise<any> =>
    (await who.post('/graphql', { query: revert, variables: { id, ...more } })).body;

  const content = async (name: string, path: string, ref: string): Promise<string | undefined> => {
    const { status, body } = await owner.get(`/repos/${name}/contents/${path}?ref=${ref}`);
    return status === 200 ? Buffer.from(body.content, 'base64').toString() : undefined;
  };

  const merge = async (path: string, method: string): Promise<void> => {
    await untilChecked(forge, owner, path);
    const { status, text } = await owner.put(`${path}/merge`, { merge_method: method });
    assert.equal(status, 200, text);
  };

  test('is refused without push access, before the merge, and where it conflicts', async () => {
    const files = { 'README.md': 'one\nTWO\nthree\n' };
    const { name, path, response } = await openPull(forge, owner, { files });
    const id = response.body.node_id;
    const open = await ask(owner, id);
    assert.deepEqual(
      [open.errors[0].type, open.errors[0].message],
      ['UNPROCESSABLE', 'Only a merged pull request can be reverted.'],
    );
    await merge(path, 'squash');
    assert.equal((await ask(stranger, id)).errors[0].type, 'NOT_FOUND');
    await commitFiles(forge, name, 'main', { 'README.md': 'one\nDos\nthree\n' });
    const conflict = await ask(owner, id);
    assert.equal(conflict.errors[0].type, 'UNPROCESSABLE');
    assert.match(conflict.errors[0].message, /conflicts/);
    const branches = (await owner.get(`/repos/${name}/branches`)).body;
    assert.deepEqual(
      branches.map((each: { name: string }) => each.name),
      ['main', 'topic'],
    );
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal((await ask(owner, id)).errors[0].type, 'FORBIDDEN');
  });

  for (const method of ['merge', 'squash', 'rebase']) {
    test(`opens a pull that takes back what a ${method} of two commits changed, and no more`, async () => {
      const files = { 'README.md': 'ONE\ntwo\nthree\n', 'new.txt': 'new\n' };
      const { name, path, number, response } = await openPull(forge, owner, { files });
      await commitFiles(forge, name, 'topic', { 'second.txt': 'second\n' });
      await commitFiles(forge, name, 'main', { 'before.txt': 'before\n' });
      await merge(path, method);
      await commitFiles(forge, name, 'main', { 'later.txt': 'later\n' });
      const { data, errors } = await ask(owner, response.body.node_id);
      assert.equal(errors, undefined, JSON.stringify(errors));
      const { pullRequest, revertPullRequest: made } = data.revertPullRequest;
      assert.equal(pullRequest.id, response.body.node_id);
      assert.deepEqual(made, {
        number: number + 1,
        title: 'Revert "Add a file"',
        body: `Reverts ${name}#${number}`,
        isDraft: false,
        headRefName: `revert-${number}-topic`,
        baseRefName: 'main',
      });
      const commits = (await owner.get(`/repos/${name}/pulls/${made.number}/commits`)).body;
      assert.deepEqual(
        commits.map((each: { commit: { message: string } }) => each.commit.message),
        [`Revert "Add a file"\n\nReverts ${name}#${number}.`],
      );
      const ref = made.headRefName;
      assert.equal(await content(name, 'README.md', ref), 'one\ntwo\nthree\n');
      assert.equal(await content(name, 'new.txt', ref), undefined);
      assert.equal(await content(name, 'second.txt', ref), undefined);
      assert.equal(await content(name, 'before.txt', ref), 'before\n');
      assert.equal(await content(name, 'later.txt', ref), 'later\n');
      await merge(`/repos/${name}/pulls/${made.number}`, 'squash');
      assert.equal(await content(name, 'new.txt', 'main'), undefined);
    });
  }

  test('takes a title, a draft, and another branch where the usual one exists', async () => {
    const { name, path, number, response } = await openPull(forge, owner);
    await merge(path, 'merge');
    await commitFiles(forge, name, `revert-${number}-topic`, { x: 'x' });
    const id = response.body.node_id;
    const { data } = await ask(owner, id, { title: 'Undo', draft: true });
    const { title, isDraft, headRefName } = data.revertPullRequest.revertPullRequest;
    assert.deepEqual([title, isDraft, headRefName], ['Undo', true, `revert-${number}-topic-2`]);
    const long = await ask(owner, id, { title: 't'.repeat(300) });
    assert.equal(long.errors[0].type, 'UNPROCESSABLE');
    const left = (await owner.get(`/repos/${name}/branches`)).body;
    assert.equal(left.length, 4, 'the branch of the refused pull is deleted');
  });
});
