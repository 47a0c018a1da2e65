import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { filledForm } from '#web/testing/test-browser.ts';

import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the choices on the page of an issue or pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    browser = await signedInBrowser(forge, 'ada');
  });
  after(() => forge.close());

  async function issue(fields: object): Promise<{ readonly name: string; readonly path: string }> {
    const name = await forge.repository(owner);
    for (const title of ['1.0', '2.0']) await owner.post(`/repos/${name}/milestones`, { title });
    const created = await owner.post(`/repos/${name}/issues`, { title: 'One', ...fields });
    assert.equal(created.status, 201, created.text);
    return { name, path: `/repos/${name}/issues/1` };
  }

  async function collaborators(name: string, logins: readonly string[]): Promise<void> {
    for (const login of logins) {
      const user = await forge.user(login);
      const invited = await owner.put(`/repos/${name}/collaborators/${login}`);
      const accepted = await user.patch(`/user/repository_invitations/${invited.body.id}`);
      assert.equal(accepted.status, 204, accepted.text);
    }
  }

  const labelsOf = async (path: string): Promise<string[]> =>
    (await owner.get(path)).body.labels.map(({ name }: { name: string }) => name).toSorted();

  test('a label that another user adds or removes meanwhile is not undone', async () => {
    const { name, path } = await issue({ labels: ['bug', 'old', 'gone'] });
    const { text } = await browser.get(`/${name}/issues/1`);
    await owner.post(`${path}/labels`, { labels: ['meanwhile'] });
    await owner.delete(`${path}/labels/gone`);
    const action = `/${name}/issues/1/labels`;
    const form = filledForm(text, action, { new_label: 'new' });
    form.delete('labels', 'old');
    const saved = await browser.post(action, form);
    assert.equal(saved.status, 303, saved.text);
    assert.deepEqual(await labelsOf(path), ['bug', 'meanwhile', 'new']);
  });

  test('people whom another user assigns or takes off meanwhile are not undone', async () => {
    const { name, path } = await issue({});
    await collaborators(name, ['grace', 'joan', 'mary']);
    await owner.post(`${path}/assignees`, { assignees: ['ada', 'grace'] });
    const { text } = await browser.get(`/${name}/issues/1`);
    await owner.post(`${path}/assignees`, { assignees: ['joan'] });
    await owner.delete(`${path}/assignees`, { assignees: ['grace'] });
    const action = `/${name}/issues/1/assignees`;
    const form = filledForm(text, action, { assignees: 'Grace, mary' });
    assert.equal((await browser.post(action, form)).status, 303);
    const { assignees } = (await owner.get(path)).body;
    assert.deepEqual(assignees.map(({ login }: { login: string }) => login).toSorted(), [
      'joan',
      'mary',
    ]);
  });

  test('reviewers whom another user asks meanwhile are asked still, also after a refusal', async () => {
    const pull = await openPull(forge, owner);
    await collaborators(pull.name, ['rev1', 'rev2', 'rev3']);
    const requests = `${pull.path}/requested_reviewers`;
    await owner.post(requests, { reviewers: ['rev1'] });
    const action = `/${pull.name}/pull/1/reviewers`;
    const opened = await browser.get(`/${pull.name}/pull/1`);
    await owner.post(requests, { reviewers: ['rev2'] });
    const wrong = filledForm(opened.text, action, { reviewers: 'rev3, nobody-of-this-name' });
    const refused = await browser.post(action, wrong);
    assert.equal(refused.status, 422);
    const right = filledForm(refused.text, action, { reviewers: 'rev3' });
    assert.equal((await browser.post(action, right)).status, 303);
    const { users } = (await owner.get(requests)).body;
    assert.deepEqual(users.map(({ login }: { login: string }) => login).toSorted(), [
      'rev2',
      'rev3',
    ]);
  });

  test('a milestone that is closed is offered, because the issue has it', async () => {
    const { name, path } = await issue({ milestone: 1 });
    await owner.patch(`/repos/${name}/milestones/1`, { state: 'closed' });
    const { text } = await browser.get(`/${name}/issues/1`);
    assert.match(text, /<option value="1" selected>/);
    assert.equal((await owner.get(path)).body.milestone.number, 1);
  });
});
