import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('diffs on pages', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    browser = await signedInBrowser(forge, 'ada');
    await forge.user('grace');
  });
  after(() => forge.close());

  const files = {
    'README.md': '  one\ntwo\nthree\n',
    'src/deep/a.ts': 'const one = first(2);\n',
    'src/deep/b.ts': 'b\n',
  };

  /** A commit page, a comparison and a pull with the same changes. */
  async function changed(): Promise<{ name: string; pages: readonly string[] }> {
    const pull = await openPull(forge, owner, { files });
    return {
      name: pull.name,
      pages: [
        `/${pull.name}/commit/${pull.head}`,
        `/${pull.name}/compare/main...topic`,
        `/${pull.name}/pull/1`,
      ],
    };
  }

  test('are unified or side by side on each page, and the choice is remembered', async () => {
    const { pages } = await changed();
    for (const page of pages) {
      const own = await signedInBrowser(forge, 'ada');
      const unified = await own.get(page);
      assert.doesNotMatch(unified.text, /class="split"/, page);
      assert.match(unified.text, /aria-current="true"\s*>Unified</, page);
      assert.match(unified.text, /<summary>src\/deep\/<\/summary>/, page);
      assert.match(unified.text, /<a href="#file-2">a\.ts<\/a>/, page);
      const split = await own.get(`${page}?diff=split`);
      assert.match(split.text, /class="split"/, page);
      assert.match(split.text, /id="f1L1">1<|id="f1L1"><a[^>]*>1</, page);
      assert.match((await own.get(page)).text, /class="split"/, page);
      await own.get(`${page}?diff=unified`);
      assert.doesNotMatch((await own.get(page)).text, /class="split"/, page);
    }
  });

  test('take no layout that is none', async () => {
    const { pages } = await changed();
    for (const value of ['', 'x', '<script>', 'split;x']) {
      const pageUrl = `${pages[0]}?diff=${encodeURIComponent(value)}`;
      const response = await forge.anonymous.get(pageUrl);
      assert.equal(response.status, 200, value);
      assert.equal(response.headers['set-cookie'], undefined, value);
    }
  });

  test('leave out lines that differ in spaces alone', async () => {
    const { pages } = await changed();
    for (const page of pages) {
      assert.match((await browser.get(page)).text, /-one<|-<mark>|> *-one/, page);
      const { text } = await browser.get(`${page}?w=1`);
      assert.doesNotMatch(text, /id="f\d+[LR]1"[^>]*>[^]{0,80}class="text ">-one/, page);
      assert.doesNotMatch(text, /<h3><a [^>]*>README\.md</, page);
      assert.match(text, />src\/deep\/a\.ts</, page);
      assert.match(text, /Show changes of spaces/, page);
    }
  });

  test('mark the words that changed', async () => {
    const pull = await openPull(forge, owner, { files });
    const head = await commitFiles(
      forge,
      pull.name,
      'topic',
      { ...files, 'src/deep/a.ts': 'const <b> = first(2);\n' },
      { parents: [pull.head] },
    );
    const { text: coloured } = await browser.get(`/${pull.name}/commit/${head}`);
    const text = withoutColours(coloured);
    assert.match(text, /-const <mark>one<\/mark> = first\(2\);/);
    assert.match(text, /\+const <mark>&lt;b&gt;<\/mark> = first\(2\);/);
    let response = await browser.get(`/${pull.name}/commit/${head}`);
    // A machine with much else to do has no colours ready in time.
    for (let asked = 0; asked < 200 && !response.text.includes('hljs-'); asked += 1) {
      response = await browser.get(`/${pull.name}/commit/${head}`);
    }
    assert.match(response.text, /-<span class="hljs-keyword">const<\/span> <mark>one<\/mark>/);
  });

  test('of a pull remember the files that a user has viewed, until they change', async () => {
    const pull = await openPull(forge, owner, { files });
    const page = `/${pull.name}/pull/1`;
    const opened = await browser.get(page);
    const [, value = ''] =
      /name="view"\s+value="([0-9a-f]{40}:src\/deep\/b\.ts)"/.exec(opened.text) ?? [];
    const marked = await browser.submit(`${page}/viewed`, { view: value });
    assert.equal(marked.headers['location'], `http://forge.test${page}#files`, marked.text);
    const seen = await browser.get(page);
    assert.equal(seen.text.match(/✓ Viewed: show the changes/g)?.length, 1);
    assert.match(seen.text, new RegExp(`name="unview"\\s+value="${value}"`));
    const other = await signedInBrowser(forge, 'grace');
    assert.doesNotMatch((await other.get(page)).text, /✓ Viewed/);
    assert.doesNotMatch((await forge.anonymous.get(page)).text, /name="view"/);
    await browser.submit(`${page}/viewed`, { unview: value });
    assert.doesNotMatch((await browser.get(page)).text, /✓ Viewed/);
    await browser.submit(`${page}/viewed`, { view: value });
    const changes = { ...files, 'src/deep/b.ts': 'changed\n' };
    await commitFiles(forge, pull.name, 'topic', changes, { parents: [pull.head] });
    const later = await browser.get(page);
    assert.doesNotMatch(later.text, /✓ Viewed/);
    const outdated = await browser.submit(`${page}/viewed`, { view: value });
    assert.equal(outdated.status, 403);
    assert.match(outdated.text, /it is not there any more/);
  });

  test('mark nothing as viewed for strangers, without a token, or what is no file of the pull', async () => {
    const pull = await openPull(forge, owner, { files, private: true });
    const page = `/${pull.name}/pull/1`;
    const { text } = await browser.get(page);
    const [, value = ''] = /name="view"\s+value="([^"]+)"/.exec(text) ?? [];
    const stranger = await signedInBrowser(forge, 'grace');
    const { text: own } = await stranger.get('/settings/tokens');
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(own) ?? [];
    const refused = await stranger.post(`${page}/viewed`, { form_token, view: value });
    assert.equal(refused.status, 404, refused.text);
    const forged = await browser.post(`${page}/viewed`, { form_token: 'x', view: value });
    assert.equal(forged.status, 403);
    for (const view of [
      '',
      'x',
      ':',
      `${'0'.repeat(40)}:src/deep/a.ts`,
      value.replace(/:.*/, ':none'),
    ]) {
      await browser.get(page);
      assert.equal((await browser.submit(`${page}/viewed`, { view })).status, 403, view);
    }
    assert.doesNotMatch((await browser.get(page)).text, /✓ Viewed/);
  });
});

/** The highlighter's elements, which a page has when they come in time. */
function withoutColours(text: string): string {
  return text.replaceAll(/<\/?span\b[^>]*>/g, '');
}
