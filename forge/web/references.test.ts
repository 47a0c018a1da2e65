import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('what texts of people name', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge({ imageProxy: 'off' });
    owner = await forge.user('ada');
    await forge.user('grace');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'Crew', privacy: 'secret' });
  });
  after(() => forge.close());

  test('is linked where it exists, outside of code and links', async () => {
    const pull = await openPull(forge, owner);
    const at = `/repos/${pull.name}`;
    const short = pull.base.slice(0, 7);
    const body = `@grace @nobody #1 #99 GH-1 ${pull.name}#1 ${short} 0000000 \`#1\` [see #1](/x) mail@grace x#1`;
    await owner.post(`${at}/issues`, { title: 'Broken <b>', body: 'x' });
    await owner.patch(`${at}/pulls/1`, { body: `${body} #2` });
    const { text } = await forge.anonymous.get(`/${pull.name}/pull/1`);
    const [, shown = ''] = /<div class="markdown">([^]*?)<\/div>/.exec(text) ?? [];
    const links = [...shown.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(
      ([, href = '', label]) => `${label}: ${href.replace('http://forge.test', '')}`,
    );
    assert.deepEqual(links, [
      '@grace: /grace',
      `#1: /${pull.name}/pull/1`,
      `GH-1: /${pull.name}/pull/1`,
      `${pull.name}#1: /${pull.name}/pull/1`,
      `${short}: /${pull.name}/commit/${pull.base}`,
      'see #1: /x',
      `#2: /${pull.name}/issues/2`,
    ]);
    assert.match(shown, /title="Broken &lt;b&gt;">#2</);
    await owner.post(`${at}/issues/1/comments`, { body: 'see #2, @ada' });
    const commented = await forge.anonymous.get(`/${pull.name}/pull/1`);
    assert.match(commented.text, /see <a [^>]*\/issues\/2"[^>]*>#2<\/a>, <a [^>]*>@ada<\/a>/);
  });

  test('is not linked for those who may not see it', async () => {
    const pull = await openPull(forge, owner);
    const hidden = await openPull(forge, owner, { private: true });
    const body = `${hidden.name}#1 and @acme/crew`;
    await owner.patch(`/repos/${pull.name}/pulls/1`, { body });
    const page = `/${pull.name}/pull/1`;
    const linked = /\/pull\/1"[^>]*>[^<]*#1<\/a>|@acme\/crew<\/a>/g;
    const own = await (await signedInBrowser(forge, 'ada')).get(page);
    assert.equal(own.text.match(linked)?.length, 2);
    const other = await (await signedInBrowser(forge, 'grace')).get(page);
    assert.doesNotMatch(other.text, linked);
    assert.match(other.text, /#1 and @acme\/crew/);
  });

  test('images of other servers are links where this one fetches none, and no page loads them', async () => {
    const pull = await openPull(forge, owner);
    const body =
      '![a <b>](https://x.test/a.png) [![badge](//x.test/b.svg)](https://y.test) <img src="https://x.test/c.png" alt="c"> <img src="/ada.png"> <img src="https:x.test/d.png" alt="d"> ![e](/lambda-url/x/)';
    await owner.patch(`/repos/${pull.name}/pulls/1`, { body });
    const { text, headers } = await forge.anonymous.get(`/${pull.name}/pull/1`);
    assert.match(text, /<a href="https:\/\/x\.test\/a\.png" rel="nofollow">a &lt;b&gt;<\/a>/);
    assert.match(text, /<a href="https:\/\/y\.test">badge<\/a> c <img src="\/ada\.png" alt="">/);
    assert.doesNotMatch(text, /<img[^>]*(?:x\.test|lambda-url)/);
    assert.match(String(headers['content-security-policy']), /img-src 'self' data:;/);
    const accept = 'application/vnd.github.full+json';
    const { body: api } = await owner.get(`/repos/${pull.name}/pulls/1`, { accept });
    assert.match(api.body_html, /<img src="https:\/\/x\.test\/a\.png"/);
  });
});
