import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { filledForm } from '#web/testing/test-browser.ts';

import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the labels and the milestone of an issue on its page', () => {
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

  test('a milestone that is closed is offered, because the issue has it', async () => {
    const { name, path } = await issue({ milestone: 1 });
    await owner.patch(`/repos/${name}/milestones/1`, { state: 'closed' });
    const { text } = await browser.get(`/${name}/issues/1`);
    assert.match(text, /<option value="1" selected>/);
    assert.equal((await owner.get(path)).body.milestone.number, 1);
  });
});
