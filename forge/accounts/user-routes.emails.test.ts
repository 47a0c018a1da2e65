import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createTestBrowser, signedInBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the addresses of a user', () => {
  let forge: TestForge;
  let ada: TestUser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
  });
  after(() => forge.close());

  test('are shown only to tokens that have a scope for them', async () => {
    for (const path of ['/user/emails', '/user/public_emails']) {
      assert.equal((await forge.anonymous.get(path)).status, 401);
      for (const scopes of [[], ['repo'], ['read:user']] as const) {
        const response = await (await forge.withScopes(ada, scopes)).get(path);
        assert.equal(response.status, 404, `${path} ${scopes.join()}`);
        assert.equal(response.headers['x-accepted-oauth-scopes'], 'user, user:email');
      }
      for (const scope of ['user:email', 'user'] as const) {
        const response = await (await forge.withScopes(ada, [scope])).get(path);
        assert.equal(response.status, 200);
        assert.deepEqual(response.body, [
          { email: 'ada@example.test', primary: true, verified: true, visibility: 'public' },
        ]);
      }
    }
    assert.deepEqual((await ada.get('/user/emails?page=2')).body, []);
  });

  test('are none where an account has none', async () => {
    const admin = await forge.user('root', { siteAdmin: true });
    const created = await admin.post('/admin/users', { login: 'nameless' });
    assert.equal(created.status, 201, created.text);
    const granted = await admin.post('/admin/users/nameless/authorizations', { scopes: ['user'] });
    const headers = { authorization: `token ${granted.body.token}` };
    const response = await forge.anonymous.get('/user/emails', headers);
    assert.equal(response.status, 200);
    assert.deepEqual(response.body, []);
  });

  test('are changed with the scope user alone, and not by what is no address or in use', async () => {
    const grace = await forge.user('grace');
    await grace.post('/user/emails', { emails: ['second@grace.test'] });
    for (const scopes of [['repo'], ['user:email']] as const) {
      const narrow = await forge.withScopes(ada, scopes);
      const emails = ['x@example.test'];
      assert.equal((await narrow.post('/user/emails', { emails })).status, 404);
      assert.equal((await narrow.delete('/user/emails', { emails })).status, 404);
      const visibility = 'private';
      assert.equal((await narrow.patch('/user/email/visibility', { visibility })).status, 404);
    }
    const present = (await ada.get('/user/emails')).body;
    for (const [email, message] of [
      ['nowhere', /is not an email address/],
      [`${grace.account.id}+grace@users.noreply.hob`, /is an address of this server/],
      ['noreply@hob', /is an address of this server/],
      ['a b@example.test', /is not an email address/],
      [`${'x'.repeat(250)}@example.test`, /is not an email address/],
      ['ADA@example.test', /already in use/],
      ['grace@example.test', /already in use/],
      ['Second@Grace.test', /already in use/],
    ] as const) {
      const refused = await ada.post('/user/emails', { emails: ['fine@example.test', email] });
      assert.equal(refused.status, 422, email);
      assert.match(refused.body.errors[0].message, message);
    }
    for (const body of [{}, { emails: [] }, { emails: 'x@example.test' }, { emails: [1] }]) {
      assert.equal((await ada.post('/user/emails', body)).status, 422, JSON.stringify(body));
    }
    const many = Array.from({ length: 50 }, (_, index) => `n${index}@example.test`);
    assert.equal((await ada.post('/user/emails', many)).status, 422);
    const primary = await ada.delete('/user/emails', { emails: ['ada@example.test'] });
    assert.equal(primary.status, 422);
    assert.match(primary.body.errors[0].message, /primary/);
    const foreign = await ada.delete('/user/emails', { emails: ['second@grace.test'] });
    assert.equal(foreign.status, 404);
    const odd = await ada.patch('/user/email/visibility', { visibility: 'secret' });
    assert.equal(odd.status, 422);
    assert.deepEqual((await ada.get('/user/emails')).body, present);
    assert.equal((await grace.get('/user/emails')).body.length, 2);
  });

  test('are added and removed, as an object and as a list; commits with them are the user’s', async () => {
    const own = await forge.user('barbara');
    const name = await forge.repository(own, { init: true });
    const put = (email: string): Promise<unknown> =>
      own.put(`/repos/${name}/contents/${email}`, {
        message: email,
        content: '',
        author: { name: 'B', email },
      });
    await put('work@barbara.test');
    const authors = async (): Promise<string[]> =>
      (await own.get(`/repos/${name}/commits?author=barbara`)).body.map(
        ({ commit }: { commit: { message: string } }) => commit.message,
      );
    const authorOf = async (): Promise<string | undefined> =>
      (await own.get(`/repos/${name}/commits`)).body[0].author?.login;
    assert.equal(await authorOf(), undefined);
    const added = await own.post('/user/emails', {
      emails: ['Work@Barbara.test', 'home@barbara.test'],
    });
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(added.body[0], {
      email: 'Work@Barbara.test',
      primary: false,
      verified: true,
      visibility: null,
    });
    assert.equal(await authorOf(), 'barbara');
    await put('home@barbara.test');
    assert.ok((await authors()).includes('home@barbara.test'));
    assert.equal((await own.get(`/repos/${name}/contributors`)).body[0].contributions, 3);
    const found = await own.get(`/search/commits?q=author:barbara+repo:${name}`);
    assert.equal(found.body.total_count, 3, found.text);
    const listed = await own.get('/user/emails?per_page=1&page=2');
    assert.deepEqual(
      listed.body.map(({ email }: { email: string }) => email),
      ['Work@Barbara.test'],
    );
    assert.equal((await own.get('/user/public_emails')).body.length, 1);
    const removed = await own.delete('/user/emails', ['HOME@barbara.test', 'work@barbara.test']);
    assert.equal(removed.status, 204, removed.text);
    assert.equal(await authorOf(), undefined);
  });

  test('are hidden: the profile and new commits do not show them, and old ones stay the user’s', async () => {
    const own = await forge.user('mary');
    const name = await forge.repository(own, { init: true });
    const hidden = await own.patch('/user/email/visibility', { visibility: 'private' });
    assert.deepEqual(hidden.body, [
      { email: 'mary@example.test', primary: true, verified: true, visibility: 'private' },
    ]);
    for (const as of [forge.anonymous, own]) {
      assert.equal((await as.get('/users/mary')).body.email, null);
    }
    assert.deepEqual((await own.get('/user/public_emails')).body, []);
    assert.deepEqual((await own.get('/search/users?q=mary@example.test+in:email')).body.items, []);
    await own.put(`/repos/${name}/contents/a`, { message: 'hidden', content: '' });
    const [second, first] = (await own.get(`/repos/${name}/commits`)).body;
    assert.equal(second.commit.author.email, `${own.account.id}+mary@users.noreply.hob`);
    assert.deepEqual([second.author.login, first.author.login], ['mary', 'mary']);
    assert.equal((await own.get(`/repos/${name}/commits?author=mary`)).body.length, 2);
    // What else is edited does not show it.
    await own.patch('/user', { company: 'Acme' });
    assert.equal((await own.get('/user')).body.email, null);
    await own.patch('/user', { email: 'Mary@example.test' });
    assert.equal((await forge.anonymous.get('/users/mary')).body.email, 'mary@example.test');
    await own.post('/user/emails', ['other@mary.test']);
    assert.equal((await own.patch('/user', { email: 'other@mary.test' })).status, 200);
    assert.deepEqual(
      (await own.get('/user/emails')).body.map(({ email }: { email: string }) => email),
      ['other@mary.test', 'mary@example.test'],
    );
    assert.equal((await own.patch('/user', { email: null })).body.email, null);
  });

  test('are of one user, also where two add one at the same time', async () => {
    const users = await Promise.all(['one', 'two', 'three'].map((login) => forge.user(login)));
    const answers = await Promise.all(
      users.map((user) => user.post('/user/emails', { emails: ['shared@example.test'] })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 422, 422]);
  });

  test('have a page, and each of them signs in', async () => {
    const own = await forge.user('joan');
    const browser = await signedInBrowser(forge, 'joan');
    const send = async (act: string, fields: Record<string, string>): Promise<number> => {
      await browser.get('/settings/emails');
      return (await browser.submit(`/settings/emails/${act}`, fields)).status;
    };
    assert.equal(await send('add', { email: 'nowhere' }), 422);
    assert.equal(await send('add', { email: '<b>@joan.test' }), 422);
    assert.equal(await send('add', { email: 'second@joan.test' }), 303);
    assert.equal(await send('primary', { email: 'ada@example.test' }), 403);
    assert.equal(await send('primary', { email: 'second@joan.test' }), 303);
    assert.equal(await send('visibility', { visibility: 'private' }), 303);
    const { text } = await browser.get('/settings/emails');
    assert.match(text, /second@joan\.test<\/span>\s*<span class="mark">primary/);
    assert.match(text, /\d+\+joan@users\.noreply\.hob/);
    for (const email of ['Second@joan.test', 'joan@example.test']) {
      await createTestBrowser(forge).signIn(email, 'p w');
    }
    assert.equal(await send('delete', { email: 'joan@example.test' }), 303);
    const fresh = createTestBrowser(forge);
    await fresh.get('/login');
    const refused = await fresh.submit('/session', { login: 'joan@example.test', password: 'p w' });
    assert.equal(refused.status, 401);
    assert.equal((await own.get('/user')).body.email, null);
  });
});
