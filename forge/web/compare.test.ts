import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the page of a comparison', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;
  let stranger: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    await forge.user('mallory');
    browser = await signedInBrowser(forge, 'ada');
    stranger = await signedInBrowser(forge, 'mallory');
  });
  after(() => forge.close());

  /** `main`, and a `topic` of one commit. */
  async function repository(options: { private?: boolean } = {}): Promise<string> {
    const name = await forge.repository(owner, options);
    const base = await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
    await commitFiles(
      forge,
      name,
      'topic',
      { 'a.txt': 'b\n' },
      { parents: [base], message: 'Say <b>\n\nBecause & so.\n' },
    );
    return name;
  }

  test('refuses a form without its token, of nobody, and of whoever may not read the repository', async () => {
    const name = await repository({ private: true });
    const fields = { base: 'main', head: 'topic', title: 'Mine' };
    assert.equal((await browser.post(`/${name}/pulls`, fields)).status, 403);
    const nobody = createTestBrowser(forge);
    const blind = { ...fields, form_token: 'x' };
    assert.equal((await nobody.post(`/${name}/pulls`, blind)).status, 403);
    const page = await stranger.get('/settings/tokens');
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
    assert.equal((await stranger.post(`/${name}/pulls`, { ...fields, form_token })).status, 404);
    assert.deepEqual((await owner.get(`/repos/${name}/pulls`)).body, []);
  });

  test('asks for two revisions, and leads to them', async () => {
    const name = await repository();
    const asked = await browser.get(`/${name}/compare`);
    assert.match(asked.text, /name="base"\s+value="main"/);
    const chosen = await browser.get(`/${name}/compare?base=main&head=topic`);
    assert.equal(chosen.headers['location'], `http://forge.test/${name}/compare/main...topic`);
    assert.equal((await browser.get(`/${name}/compare/main...absent`)).status, 404);
    const shorter = await browser.get(`/${name}/compare/topic`);
    assert.equal(shorter.headers['location'], `http://forge.test/${name}/compare/main...topic`);
  });

  test('fills in what a link says, as gh has it', async () => {
    const name = await repository();
    const query = new URLSearchParams({ expand: '1', title: 'From <gh>', body: 'Why\nso' });
    const path = `/${name}/compare/main...topic?${query.toString()}`;
    const shorter = await browser.get(`/${name}/compare/topic?${query.toString()}`);
    assert.equal(shorter.headers['location'], `http://forge.test${path}`);
    const { text } = await browser.get(path);
    assert.match(text, /value="From &lt;gh&gt;"/);
    assert.match(text, />\nWhy\nso<\/textarea>/);
  });

  test('opens a pull with the title and text of its only commit, escaped', async () => {
    const name = await repository();
    const visitor = await forge.anonymous.get(`/${name}/compare/main...topic`);
    assert.match(visitor.text, /Sign in to open a pull request/);
    assert.doesNotMatch(visitor.text, /<form[^>]*method="post"[^>]*pulls"/);
    const page = await browser.get(`/${name}/compare/main...topic`);
    assert.match(page.text, /value="Say &lt;b&gt;"/);
    assert.match(page.text, /Because &amp; so\.<\/textarea>/);
    const refused = await browser.submit(`/${name}/pulls`, { title: ' ', body: '<i>kept' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /class="problem"/);
    assert.match(refused.text, /&lt;i&gt;kept<\/textarea>/);
    const fields = { title: 'Say so', body: 'x\r\ny', as: 'draft' };
    const opened = await browser.submit(`/${name}/pulls`, fields);
    assert.equal(opened.headers['location'], `http://forge.test/${name}/pull/1`, opened.text);
    const { body } = await owner.get(`/repos/${name}/pulls/1`);
    assert.deepEqual([body.title, body.body, body.draft], ['Say so', 'x\ny', true]);
    await browser.get(`/${name}/compare/main...topic`);
    const twice = await browser.submit(`/${name}/pulls`, { title: 'Again' });
    assert.equal(twice.status, 422);
    assert.match(twice.text, /already exists/);
  });

  test('offers no pull where nothing is ahead, or the base is no branch', async () => {
    const name = await repository();
    const { sha } = (await owner.get(`/repos/${name}/commits/main`)).body;
    for (const range of ['topic...main', `${sha}...topic`]) {
      const page = await browser.get(`/${name}/compare/${range}`);
      assert.equal(page.status, 200, range);
      assert.doesNotMatch(page.text, /Open a pull request/, range);
    }
  });
});
