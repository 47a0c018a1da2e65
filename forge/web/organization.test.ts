import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

describe('the pages of an organization', () => {
  let forge: TestForge;
  let ada: TestUser;
  let owner: TestBrowser;
  let member: TestBrowser;
  let stranger: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
    await forge.user('grace');
    await forge.user('linus');
    await forge.organization(ada, 'acme');
    await ada.put('/orgs/acme/memberships/grace');
    await ada.post('/orgs/acme/repos', { name: 'tools', private: true });
    owner = await signedInBrowser(forge, 'ada');
    member = await signedInBrowser(forge, 'grace');
    stranger = await signedInBrowser(forge, 'linus');
  });
  after(() => forge.close());

  const send = async (
    browser: TestBrowser,
    path: string,
    fields: Readonly<Record<string, string>> = {},
  ): ReturnType<TestBrowser['post']> => {
    const { text } = await browser.get('/settings/profile');
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    return browser.post(path, { form_token, ...fields });
  };
  const pages = ['/-/orgs/acme/people', '/-/orgs/acme/teams', '/-/orgs/acme/settings'];

  test('are for its members, and its settings for its owners', async () => {
    for (const page of pages) {
      assert.equal((await owner.get(page)).status, 200, page);
      assert.equal((await stranger.get(page)).status, 404, page);
      assert.equal((await forge.anonymous.get(page)).status, 302, page);
      assert.equal((await owner.get(page.replace('acme', 'ada'))).status, 404, page);
    }
    const [people = '', teams = '', settings = ''] = pages;
    assert.equal((await member.get(settings)).status, 404);
    assert.doesNotMatch((await member.get(people)).text, /Add a member|Make owner/);
    assert.match((await member.get(people)).text, /Leave/);
    assert.equal((await member.get(teams)).status, 200);
    assert.doesNotMatch((await stranger.get('/acme')).text, /People|tools/);
    assert.match((await member.get('/acme')).text, /People/);
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const pageUrl of ['/orgs/acme/people', '/orgs/acme/teams']) {
      const led = await forge.anonymous.get(pageUrl, { accept, cookie });
      assert.match(led.text, /<h2>(?:People|Teams)/, pageUrl);
    }
  });

  test('refuse forms of those who may not, without a token, and unknown acts', async () => {
    for (const [path, fields] of [
      ['people/set', { username: 'linus', role: 'admin' }],
      ['people/remove', { username: 'ada' }],
      ['settings/update', { name: 'Mine' }],
    ] as const) {
      const pageUrl = `/-/orgs/acme/${path}`;
      for (const browser of [member, stranger]) {
        const { status } = await send(browser, pageUrl, fields);
        assert.ok([403, 404].includes(status), `${path}: ${status}`);
      }
      assert.equal((await owner.post(pageUrl, fields)).status, 403, path);
    }
    for (const path of ['people/none', 'settings/constructor', 'teams/none', 'teams/crew/none']) {
      const { status } = await send(owner, `/-/orgs/acme/${path}`);
      assert.ok([403, 404].includes(status), path);
    }
    const { body } = await ada.get('/orgs/acme/members');
    assert.deepEqual(
      body.map(({ login }: { login: string }) => login),
      ['ada', 'grace'],
    );
  });

  test('add, change and remove members; the last owner stays', async () => {
    const at = '/-/orgs/acme/people';
    const absent = await send(owner, `${at}/set`, { username: 'none', role: 'member' });
    assert.equal(absent.status, 403);
    assert.match(absent.text, /is not there any more/);
    assert.equal((await send(owner, `${at}/set`, { username: 'linus', role: 'boss' })).status, 422);
    assert.equal((await send(owner, `${at}/set`, { username: 'linus' })).status, 303);
    assert.equal((await ada.get('/orgs/acme/memberships/linus')).body.role, 'member');
    await send(owner, `${at}/set`, { username: 'linus', role: 'admin' });
    assert.equal((await ada.get('/orgs/acme/memberships/linus')).body.role, 'admin');
    assert.equal((await send(owner, `${at}/remove`, { username: 'linus' })).status, 303);
    const last = await send(owner, `${at}/remove`, { username: 'ada' });
    assert.equal(last.status, 403);
    assert.match(last.text, /role="alert">ada is the last owner of acme/);
    await ada.put('/orgs/acme/memberships/linus');
    const left = await send(stranger, `${at}/remove`, { username: 'linus' });
    assert.equal(left.headers['location'], '/acme');
    assert.equal((await ada.get('/orgs/acme/memberships/linus')).status, 404);
  });

  test('change its profile', async () => {
    const at = '/-/orgs/acme/settings';
    const wrong = await send(owner, `${at}/update`, { name: 'Acme', email: 'nowhere' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /value="nowhere"/);
    const text = 'One\r\nTwo';
    await send(owner, `${at}/update`, { name: 'Acme', description: text, email: '' });
    const { body } = await ada.get('/orgs/acme');
    assert.deepEqual([body.name, body.description, body.email], ['Acme', 'One\nTwo', null]);
  });

  test('create teams, give them members and repositories, and delete them', async () => {
    const at = '/-/orgs/acme/teams';
    assert.equal((await send(owner, `${at}/create`, { name: '' })).status, 422);
    const made = await send(owner, `${at}/create`, { name: 'The Crew', privacy: 'secret' });
    assert.equal(made.headers['location'], `${at}/the-crew`);
    assert.equal((await member.get(`${at}/the-crew`)).status, 404);
    const crew = `${at}/the-crew`;
    assert.equal((await send(member, `${crew}/add-member`, { username: 'grace' })).status, 404);
    await send(owner, `${crew}/add-member`, { username: 'grace', role: 'member' });
    const seen = (await member.get(crew)).text;
    assert.match(seen, /grace/);
    assert.doesNotMatch(seen, /Delete the team/);
    assert.equal((await send(member, `${crew}/update`, { name: 'Mine' })).status, 403);
    const hidden = await send(member, `${crew}/add-repository`, { repository: 'tools' });
    assert.equal(hidden.status, 403);
    await send(owner, `${crew}/add-repository`, { repository: 'tools', permission: 'push' });
    assert.match((await member.get(crew)).text, /\/acme\/tools"/);
    await send(owner, `${crew}/remove-repository`, { repository: 'tools' });
    assert.doesNotMatch((await owner.get(crew)).text, /\/acme\/tools"/);
    const renamed = await send(owner, `${crew}/update`, { name: 'Crew', privacy: 'closed' });
    assert.equal(renamed.headers['location'], `${at}/crew`);
    await send(owner, `${at}/crew/remove-member`, { username: 'grace' });
    assert.equal((await ada.get('/orgs/acme/teams/crew/memberships/grace')).status, 404);
    const ended = await send(owner, `${at}/crew/delete`);
    assert.equal(ended.headers['location'], at);
    assert.equal((await ada.get('/orgs/acme/teams/crew')).status, 404);
  });

  test('begin with one that any user creates', async () => {
    for (const login of ['', 'a b', 'ada', 'settings']) {
      assert.equal((await send(stranger, '/-/orgs/new/create', { login })).status, 422, login);
    }
    for (const name of ['a\0b', 'x'.repeat(256)]) {
      const refused = await send(stranger, '/-/orgs/new/create', { login: 'tooling', name });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /name must be 1 to 255 printable characters/);
    }
    const made = await send(stranger, '/-/orgs/new/create', { login: 'tooling', name: 'Tools' });
    assert.equal(made.headers['location'], '/-/orgs/tooling/people');
    assert.match((await stranger.get('/-/orgs/tooling/people')).text, /linus[^]*owner/);
    assert.equal((await forge.anonymous.get('/orgs/tooling')).body.name, 'Tools');
  });

  test('and the page of a profile change what the account says', async () => {
    const wrong = await send(owner, '/settings/profile/update', { bio: 'x'.repeat(161) });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /is too long/);
    const saved = await send(owner, '/settings/profile/update', { name: 'Ada', bio: '<i>x</i>' });
    assert.equal(saved.status, 303);
    const { body } = await ada.get('/user');
    assert.deepEqual([body.name, body.bio], ['Ada', '<i>x</i>']);
    assert.match((await owner.get('/settings/profile')).text, /&lt;i&gt;x/);
    assert.equal((await send(owner, '/settings/profile/none')).status, 404);
  });

  test('and preferences change how pages look, and the time zone of commits on pages', async () => {
    const pageUrl = '/settings/profile/preferences';
    const plain = /<html\s+lang="en"\s+data-shortcuts\s*>/;
    assert.match((await owner.get('/-/home')).text, plain);
    for (const zone of ['', 'Nowhere/None', '"><b>']) {
      const wrong = await send(owner, pageUrl, { theme: 'dark', time_zone: zone });
      assert.equal(wrong.status, 422, zone);
      assert.match(wrong.text, /Choose a time zone/);
    }
    const saved = await send(owner, pageUrl, { theme: 'dark', time_zone: 'Asia/Tokyo' });
    assert.equal(saved.status, 303);
    const { text } = await owner.get('/settings/profile');
    assert.match(text, /<html\s+lang="en"\s+class="dark"\s+data-shortcuts\s*>/);
    assert.match(text, /<option value="dark" selected\s*>/);
    assert.match(text, /<option value="Asia\/Tokyo" selected\s*>/);
    for (const theme of ['system', '"><script>']) {
      await send(owner, pageUrl, { theme, time_zone: 'UTC' });
      assert.match((await owner.get('/-/home')).text, plain, theme);
      await send(owner, pageUrl, { theme: 'light', time_zone: 'UTC' });
    }
  });
});
