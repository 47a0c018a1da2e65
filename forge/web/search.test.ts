import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the search of the site', () => {
  let forge: TestForge;
  let ada: TestUser;
  let browser: TestBrowser;
  let stranger: TestBrowser;
  let hidden: string;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
    await forge.user('grace');
    const tools = await forge.repository(ada, { name: 'tools' });
    hidden = await forge.repository(ada, { name: 'tools-hidden', private: true });
    for (const name of [tools, hidden]) {
      await commitFiles(forge, name, 'main', {
        'src/engine.ts': 'one\nconst <engine> = 1;\nthree\n',
      });
      await ada.post(`/repos/${name}/issues`, { title: `The <b>engine</b> of ${name}` });
    }
    browser = await signedInBrowser(forge, 'ada');
    stranger = await signedInBrowser(forge, 'grace');
  });
  after(() => forge.close());

  const search = (
    by: TestBrowser,
    type: string,
    q: string,
    more = '',
  ): ReturnType<TestBrowser['get']> =>
    by.get(`/search?type=${type}&q=${encodeURIComponent(q)}${more}`);

  test('refuses queries in a sentence, and finds nothing with a word', async () => {
    for (const [type, q] of [
      ['repositories', 'user:none'],
      ['code', 'path:src'],
      ['issues', 'repo:ada/none'],
      ['repositories', 'x'.repeat(4097)],
    ] as const) {
      const refused = await search(browser, type, q);
      assert.equal(refused.status, 422, `${type} ${q.slice(0, 20)}`);
      assert.match(refused.text, /role="alert"/);
    }
    const far = await search(browser, 'repositories', 'tools', '&page=100&per_page=100');
    assert.equal(far.status, 422);
    for (const type of ['repositories', 'issues', 'code', 'commits', 'users']) {
      const none = await search(browser, type, 'nothing-like-this');
      assert.equal(none.status, 200, type);
      assert.match(none.text, /Nothing is found/);
    }
    for (const q of ['', '&q=', '&q=%20']) {
      const { status, text } = await browser.get(`/search?type=none${q}`);
      assert.equal(status, 200);
      assert.match(text, /aria-current="page"\s*>Repositories/);
    }
  });

  test('shows visitors what needs no reading of texts', async () => {
    for (const type of ['issues', 'code', 'commits']) {
      const { text } = await forge.anonymous.get(`/search?type=${type}&q=engine`);
      assert.match(text, /Sign in<\/a> to search this/, type);
      assert.doesNotMatch(text, /ada\/tools/);
    }
    const { text } = await forge.anonymous.get('/search?q=tools');
    assert.match(text, /ada\/tools</);
    assert.doesNotMatch(text, /tools-hidden/);
  });

  test('finds of each kind what the viewer may read, and nothing else', async () => {
    const expected = {
      repositories: [
        'tools',
        /(?:1 repository|[02-9] repositories)\.[^]*href="[^"]*\/ada\/tools">ada\/tools</,
      ],
      issues: ['engine', /href="[^"]*\/ada\/tools\/issues\/1">The &lt;b&gt;engine/],
      code: ['engine', /src\/engine\.ts<\/a>[^]*#L2">2: const &lt;engine&gt; = 1;<\/a>/],
      commits: ['repo:ada/tools', /href="[^"]*\/ada\/tools\/commit\/[0-9a-f]{40}"/],
      users: ['ada', /href="[^"]*\/ada">ada</],
    } as const;
    for (const [type, [q, found]] of Object.entries(expected)) {
      for (const by of [browser, stranger]) {
        const { status, text } = await search(by, type, q);
        assert.equal(status, 200, text);
        assert.match(text, found, type);
        const sees = type !== 'users' && type !== 'commits' && by === browser;
        assert.equal(text.includes('tools-hidden'), sees, type);
      }
    }
    const closed = await search(stranger, 'commits', `repo:${hidden}`);
    assert.equal(closed.status, 422);
  });

  test('is reached from every page, and home shows what waits for the viewer', async () => {
    const visitor = await forge.anonymous.get('/', { accept: 'text/html,application/xhtml+xml' });
    assert.match(visitor.text, /href="\/search"\s*>Search/);
    assert.doesNotMatch(visitor.text, /Assigned to you/);
    assert.doesNotMatch((await browser.get('/-/home')).text, /Assigned to you/);
    await ada.patch('/repos/ada/tools/issues/1', { assignees: ['ada'] });
    const home = (await browser.get('/-/home')).text;
    assert.match(
      home,
      /href="\/search\?type=issues&amp;q=is%3Aopen\+assignee%3A%40me">Assigned to you/,
    );
    assert.match(home, /The &lt;b&gt;engine/);
    assert.doesNotMatch((await stranger.get('/-/home')).text, /The &lt;b&gt;engine/);
    const own = (await stranger.get('/-/home?of=mine')).text;
    assert.doesNotMatch(own, /ada\/tools/);
    assert.match((await browser.get('/-/home?of=mine')).text, /tools-hidden/);
  });
});
