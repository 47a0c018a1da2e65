import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { icon, shortcutsScript, style } from '#web/assets.ts';

import { createUser } from '../accounts/create-user.ts';
import { commitFiles } from '../testing/commits.ts';
import { createTestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

/** What a browser sends when a user follows a link. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('what every page stands on', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge({ rateLimitAnonymous: 1 });
    owner = await forge.user('own');
    await forge.repository(owner, { name: 'tools', init: true });
    await commitFiles(forge, 'own/tools', 'main', {
      'README.md':
        '# One *two*\n\n# One two\n\n[there](#one-two)\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n',
      'gap.txt': 'a\n\nb\n',
      'badge.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'pixel.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    });
  });
  after(() => forge.close());

  const page = (path: string, headers: Record<string, string> = {}) =>
    forge.anonymous.get(path, { accept, ...headers });

  test('a path that is nowhere is a page that leads on, and costs none of the API’s requests', async () => {
    for (const path of ['/search/none', '/own/tools/nowhere', '/orgs/own/none', '/a/b/c/d?x=1']) {
      for (let time = 0; time < 3; time += 1) {
        const response = await page(path);
        assert.equal(response.status, 404, path);
        assert.match(response.headers['content-type'] ?? '', /^text\/html/, path);
        assert.equal(response.headers['x-ratelimit-remaining'], undefined);
        assert.match(response.text, /<h1>Not found<\/h1>/);
        assert.match(response.text, /All repositories/);
        assert.match(response.text, /href="\/login\?return_to=/);
      }
    }
    assert.match((await page('/own/tools/nowhere')).text, /href="\/own\/tools">The repository/);
    // The one request of this hour is still there.
    assert.equal((await forge.anonymous.get('/meta')).status, 200);
  });

  test('clients, and everything below /api, still get JSON', async () => {
    assert.equal((await owner.get('/search/none')).body.message, 'Not Found');
    const below = await owner.get('/api/v3/none', { accept });
    assert.equal(below.status, 404);
    assert.equal(below.body.message, 'Not Found');
    const post = await owner.send('POST', '/search/none', { headers: { accept } });
    assert.equal(post.body.message, 'Not Found');
  });

  test('the page for a signed-in user has their frame', async () => {
    await createUser(forge.ports, { login: 'ada', password: 'p w' });
    const browser = createTestBrowser(forge);
    await browser.signIn('ada', 'p w');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await page('/search/none', { cookie });
    assert.match(response.text, /<summary>ada<\/summary>/);
    assert.doesNotMatch(response.text, /Sign in/);
  });

  test('the root with a query is the home page', async () => {
    const response = await page('/?x=1');
    assert.equal(response.status, 200);
    assert.match(response.text, /<h1>Repositories<\/h1>/);
  });

  test('style and icon may be kept for ever under names that change with them', async () => {
    const { text } = await page('/own/tools');
    assert.ok(text.includes(style.path));
    for (const [{ path }, type] of [
      [style, /^text\/css/],
      [icon, /^image\/svg\+xml/],
      [shortcutsScript, /^text\/javascript/],
    ] as const) {
      assert.match(path, /^\/assets\/\w+-[0-9a-f]{16}\.\w+$/);
      const response = await forge.anonymous.get(path);
      assert.equal(response.status, 200, path);
      assert.match(response.headers['content-type'] ?? '', type);
      assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable');
    }
    const asked = await forge.anonymous.get('/favicon.ico');
    assert.match(asked.headers['content-type'] ?? '', /^image\/svg\+xml/);
    assert.equal(asked.headers['x-ratelimit-remaining'], undefined);
  });

  test('pages are compressed as the browser asks', async () => {
    const plain = await page('/docs');
    assert.equal(plain.headers['content-encoding'], undefined);
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const response = await page('/docs', { 'accept-encoding': encoding });
      assert.equal(response.headers['content-encoding'], encoding);
      assert.match(response.headers['vary'] ?? '', /Accept-Encoding/);
      assert.equal(decode(response.bytes).toString(), plain.text);
    }
  });

  test('pages ask for HTTPS as the API does', async () => {
    const api = (await owner.get('/user')).headers['strict-transport-security'];
    assert.ok(api);
    for (const path of ['/own/tools', '/own/tools/raw/main/gap.txt', '/none']) {
      assert.equal((await page(path)).headers['strict-transport-security'], api, path);
    }
  });

  test('the current page is marked, and the way past the navigation is first', async () => {
    const { text } = await page('/own/tools/branches');
    assert.match(text, /<body>\s*<a class="skip" href="#content">/);
    assert.match(
      text,
      /<a\s[^>]*href="[^"]*\/own\/tools\/branches"[^>]*\saria-current="page"\s*>Branches<\/a\s*>/,
    );
    assert.equal([...text.matchAll(/aria-current/g)].length, 1);
    for (const [, attributes = ''] of text.matchAll(/<nav([^>]*)>/g)) {
      assert.match(attributes, /aria-label=/);
    }
  });

  test('times say how long ago, and exactly when', async () => {
    const { text } = await page('/');
    assert.match(
      text,
      /<time datetime="[\d-]{10}T[\d:]{8}Z" title="[\d-]{10} \d\d:\d\d UTC">(?:just now|\d+ \w+ ago)<\/time>/,
    );
  });

  test('a history of a path that never was is not found', async () => {
    assert.equal((await page('/own/tools/commits/main/nowhere')).status, 404);
    assert.equal((await page('/own/tools/commits/main/gap.txt')).status, 200);
  });

  test('blank lines of a file are copied as they are', async () => {
    assert.match(
      (await page('/own/tools/blob/main/gap.txt')).text,
      /<span id="L2"><a href="#L2" tabindex="-1">2<\/a><\/span>/,
    );
  });

  test('pictures are shown as pictures, and run nothing', async () => {
    for (const [name, type] of [
      ['badge.svg', 'image/svg+xml'],
      ['pixel.png', 'image/png'],
    ] as const) {
      const response = await page(`/own/tools/raw/main/${name}`);
      assert.equal(response.headers['content-type'], type);
      assert.match(
        response.headers['content-security-policy'] ?? '',
        /default-src 'none'.*sandbox/,
      );
      assert.equal(response.headers['x-content-type-options'], 'nosniff');
    }
  });

  test('a README has headings that its links lead to, and aligned tables without inline style', async () => {
    const { text } = await page('/own/tools');
    assert.match(text, /<h1 id="user-content-one-two">/);
    assert.match(text, /<h1 id="user-content-one-two-1">/);
    assert.match(text, /href="#user-content-one-two"/);
    assert.match(text, /<th align="center">a<\/th>/);
    assert.doesNotMatch(text, /style=/);
  });

  test('home leads to the repositories that are not on its first page', async () => {
    for (let count = 0; count < 30; count += 1) await forge.repository(owner);
    const first = await page('/');
    const [, next = ''] = /href="http:\/\/forge\.test(\/\?page=2)"/.exec(first.text) ?? [];
    assert.match((await page(next)).text, /own\/tools/);
  });
});
