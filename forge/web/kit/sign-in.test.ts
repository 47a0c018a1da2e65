import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { enableTwoFactor } from '../../auth/two-factor.ts';
import { oneTimePassword, stepAt } from '../../auth/one-time-password.ts';
import { findSecondFactor } from '../../auth/second-factor-store.ts';
import { createUser } from '../../accounts/create-user.ts';
import { createTestBrowser, type TestBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestForge } from '../../testing/test-forge.ts';

const minutes = 60_000;
const days = 24 * 60 * minutes;

describe('signing in', () => {
  let forge: TestForge;
  let browser: TestBrowser;
  let serial = 0;
  let login = '';

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());
  // A user of its own for each test, since the failures of one would lock the next.
  beforeEach(async () => {
    forge.clock.advance(30 * minutes);
    serial += 1;
    login = `person-${serial}`;
    const email = `${login}@example.test`;
    await createUser(forge.ports, { login, password: 'p w', email });
    browser = createTestBrowser(forge);
  });

  const isSignedIn = async (who = browser): Promise<boolean> => {
    const response = await who.get('/settings/tokens');
    if (response.status === 302) assert.match(response.headers['location'] ?? '', /^\/login\?/);
    else assert.equal(response.status, 200);
    return response.status === 200;
  };

  const codeAt = async (steps = 0): Promise<string> => {
    const { id } = await accountOf();
    const factor = await forge.database.read((sql) => findSecondFactor(sql, id));
    assert.ok(factor);
    return oneTimePassword(factor.secret, stepAt(forge.clock.now()) + steps);
  };

  const accountOf = async (): Promise<{ id: number }> => {
    const row = await forge.database.read((sql) =>
      sql.get<{ id: number }>(`select id from accounts where login = $1`, login),
    );
    assert.ok(row);
    return row;
  };

  test('a wrong password, an unknown login and an organization are indistinguishable', async () => {
    await browser.get('/login');
    const responses = [];
    for (const [name, password] of [
      [login, 'wrong'],
      ['nobody-here', 'p w'],
      [`nobody@example.test`, 'p w'],
      ['', ''],
      ['\0', '\ud800'],
    ] as const) {
      const response = await browser.submit('/session', { login: name, password });
      assert.equal(response.status, 401, name);
      assert.match(response.text, /Incorrect login or password/);
      assert.equal(response.headers['set-cookie'], undefined);
      assert.doesNotMatch(response.text, /p w/);
      responses.push(
        response.text.replaceAll(name, '').replace(/(name="form_token" value=)"[^"]+"/, '$1'),
      );
    }
    assert.equal(responses[0], responses[1]);
    assert.equal(await isSignedIn(), false);
  });

  test('a form without the token of this browser does nothing', async () => {
    const right = { login, password: 'p w' };
    const blank = await browser.post('/session', right);
    assert.equal(blank.status, 403);
    assert.match(blank.text, /form token is missing or expired/);
    const other = createTestBrowser(forge);
    await other.get('/login');
    const page = await browser.get('/login');
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    assert.equal((await other.post('/session', { ...right, form_token: token })).status, 403);
    assert.equal((await other.post('/session', { ...right, form_token: 'x' })).status, 403);
    assert.equal(await isSignedIn(other), false);
  });

  test('what a browser says comes from another site does nothing, right token or not', async () => {
    const page = await browser.get('/login');
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const fields = { login, password: 'p w', form_token };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.test' },
      { origin: 'null' },
    ]) {
      assert.equal((await browser.post('/session', fields, headers)).status, 403);
    }
    const elsewhere = {
      host: '10.0.0.5:3000',
      origin: 'http://10.0.0.5:3000',
      'sec-fetch-site': 'same-origin',
    };
    const refused = await browser.post('/session', fields, elsewhere);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /address of this server is http:\/\/forge\.test, and this page was/);
    const good = { origin: 'http://forge.test', 'sec-fetch-site': 'same-origin' };
    assert.equal((await browser.post('/session', fields, good)).status, 303);
  });

  test('odd bodies are refused with a page', async () => {
    const { anonymous } = forge;
    const large = await browser.post('/session', { login: 'x'.repeat(1_100_000) });
    assert.equal(large.status, 413);
    const headers = { 'content-type': 'application/json' };
    const json = await anonymous.send('POST', '/session', { body: '{}', headers });
    assert.equal(json.status, 400);
    assert.match(json.headers['content-type'] ?? '', /^text\/html/);
    assert.equal((await anonymous.send('POST', '/session')).status, 403);
    assert.equal((await anonymous.get('/logout')).status, 404, 'nothing changes by a GET');
    assert.equal((await anonymous.get('/session')).headers['location'], '/login');
  });

  test('login or e-mail address and password begin a session with a cookie out of reach', async () => {
    for (const name of [login, `  ${login.toUpperCase()} `, `${login}@Example.test`]) {
      const fresh = createTestBrowser(forge);
      const page = await fresh.get('/login');
      assert.equal(page.headers['cache-control'], 'no-store');
      assert.match(page.headers['content-security-policy'] ?? '', /form-action 'self';/);
      assert.match(
        page.headers['set-cookie'] ?? '',
        /^hob_visit=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
      );
      const response = await fresh.submit('/session', { login: name, password: 'p w' });
      assert.equal(response.status, 303);
      assert.equal(response.headers['location'], '/-/home');
      assert.match(
        response.headers['set-cookie'] ?? '',
        /hob_session=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax,hob_visit=; .*Max-Age=0/,
      );
      assert.equal(await isSignedIn(fresh), true);
      assert.match((await fresh.get('/-/home')).text, new RegExp(`<summary>${login}</summary>`));
    }
  });

  test('an address that two users have signs in neither', async () => {
    const email = `${login}@example.test`;
    const { id } = await createUser(forge.ports, { login: `${login}-2`, password: 'p w' });
    // An earlier version created users without a look at the addresses of others.
    await forge.database.write((sql) =>
      sql.run(`update accounts set email = $2, email_key = $2 where id = $1`, id, email),
    );
    await browser.get('/login');
    const response = await browser.submit('/session', { login: email, password: 'p w' });
    assert.equal(response.status, 401);
  });

  test('over https the cookie is for encrypted connections and this host only', async () => {
    const secure = await startTestForge({ baseUrl: 'https://forge.test' });
    try {
      await createUser(secure.ports, { login: 'own', password: 'p w' });
      const there = createTestBrowser(secure);
      const response = await there.signIn('own', 'p w');
      assert.match(response.headers['set-cookie'] ?? '', /^__Host-hob_session=[^;]+;.*; Secure,/);
      assert.equal((await there.get('/settings/tokens')).status, 200);
      const value = there.cookies.get('__Host-hob_session') ?? '';
      const cookie = `hob_session=${value}`;
      assert.equal((await secure.anonymous.get('/settings/tokens', { cookie })).status, 302);
    } finally {
      await secure.close();
    }
  });

  test('only the hash of the cookie is stored', async () => {
    await browser.signIn(login, 'p w');
    const rows = await forge.database.read((sql) => sql.all(`select * from sessions`));
    const secret = browser.cookies.get('hob_session') ?? '';
    assert.equal(secret.length, 43);
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(secret));
  });

  test('signing out needs the form, and ends the session for copies of its cookie too', async () => {
    await browser.signIn(login, 'p w');
    const copy = createTestBrowser(forge);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    assert.equal((await browser.post('/logout', {})).status, 403);
    assert.equal(await isSignedIn(), true);
    const response = await browser.submit('/logout');
    assert.equal(response.status, 303);
    assert.equal(browser.cookies.size, 0);
    assert.equal(await isSignedIn(copy), false);
  });

  test('a session ends by itself, and when the password changes', async () => {
    await browser.signIn(login, 'p w');
    forge.clock.advance(14 * days - 1);
    assert.equal(await isSignedIn(), true);
    forge.clock.advance(1);
    assert.equal(await isSignedIn(), false);
    await browser.signIn(login, 'p w');
    await forge.database.write((sql) =>
      sql.run(`update accounts set password_hash = 'plain:new' where login = $1`, login),
    );
    assert.equal(await isSignedIn(), false);
  });

  test('too many wrong passwords lock the page as they lock the interface', async () => {
    await browser.get('/login');
    for (let time = 0; time < 10; time += 1) {
      assert.equal((await browser.submit('/session', { login, password: 'x' })).status, 401);
    }
    const page = await browser.submit('/session', { login, password: 'x' });
    assert.equal(page.status, 429);
    assert.match(page.text, /Try again in ten minutes/);
    assert.match(page.text, /<form class="fields" method="post" action="\/session">/);
    const basic = Buffer.from(`${login}:p w`).toString('base64');
    const api = await forge.anonymous.get('/user', { authorization: `Basic ${basic}` });
    assert.equal(api.status, 403);
    await browser.get('/login');
    assert.equal((await browser.submit('/session', { login, password: 'p w' })).status, 429);
  });

  test('with a second factor the password leads to a page that asks for the code', async () => {
    await enableTwoFactor(forge.ports, login);
    const path = '/login?return_to=%2Fsettings%2Fapplications';
    await browser.get(path);
    const response = await browser.submit('/session', { login, password: 'p w' });
    assert.equal(response.status, 303);
    const location = response.headers['location'] ?? '';
    assert.equal(location, '/sessions/two-factor?return_to=%2Fsettings%2Fapplications');
    assert.equal(browser.cookies.has('hob_session'), false);
    assert.equal(await isSignedIn(), false);
    await browser.get(location);
    const wrong = await browser.submit('/sessions/two-factor', { code: '12345' });
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /wrong, expired or already used/);
    const right = await browser.submit('/sessions/two-factor', { code: await codeAt() });
    assert.equal(right.status, 303, right.text);
    assert.equal(right.headers['location'], '/settings/applications');
    assert.equal(await isSignedIn(), true);
  });

  test('a code is valid once, and so is a recovery code', async () => {
    const { recoveryCodes } = await enableTwoFactor(forge.ports, login);
    const code = await codeAt();
    const attempt = async (provided: string): Promise<number> => {
      const fresh = createTestBrowser(forge);
      await fresh.get('/login');
      const first = await fresh.submit('/session', { login, password: 'p w' });
      await fresh.get(first.headers['location'] ?? '');
      return (await fresh.submit('/sessions/two-factor', { code: provided })).status;
    };
    assert.equal(await attempt(code), 303);
    assert.equal(await attempt(code), 401);
    assert.equal(await attempt(recoveryCodes[0] ?? ''), 303);
    assert.equal(await attempt(recoveryCodes[0] ?? ''), 401);
  });

  test('a code without its password, or too late after it, begins anew', async () => {
    await enableTwoFactor(forge.ports, login);
    await browser.get('/login');
    await browser.get('/sessions/two-factor');
    const alone = await browser.submit('/sessions/two-factor', { code: await codeAt() });
    assert.equal(alone.status, 401);
    assert.match(alone.text, /sign-in has expired/);
    await browser.submit('/session', { login, password: 'p w' });
    forge.clock.advance(10 * minutes);
    await browser.get('/sessions/two-factor');
    const late = await browser.submit('/sessions/two-factor', { code: await codeAt() });
    assert.match(late.text, /sign-in has expired/);
    assert.equal(await isSignedIn(), false);
  });

  test('guessing codes locks as guessing passwords does', async () => {
    await enableTwoFactor(forge.ports, login);
    await browser.get('/login');
    await browser.submit('/session', { login, password: 'p w' });
    await browser.get('/sessions/two-factor');
    for (let time = 0; time < 10; time += 1) {
      assert.equal((await browser.submit('/sessions/two-factor', { code: 'wrong' })).status, 401);
    }
    const locked = await browser.submit('/sessions/two-factor', { code: await codeAt() });
    assert.equal(locked.status, 429);
    assert.equal(await isSignedIn(), false);
  });

  test('the way back stays on this server', async () => {
    for (const [requested, location] of [
      ['//evil.example', '/-/home'],
      ['/\\evil.example', '/-/home'],
      ['/person?x=1', '/person?x=1'],
    ] as const) {
      const fresh = createTestBrowser(forge);
      await fresh.get(`/login?return_to=${encodeURIComponent(requested)}`);
      const response = await fresh.submit('/session', { login, password: 'p w' });
      assert.equal(response.headers['location'], location);
      const again = await fresh.get(`/login?return_to=${encodeURIComponent(requested)}`);
      assert.equal(again.headers['location'], location, 'also of a user who is signed in already');
    }
  });

  test('a session opens private pages, never the interface and git', async () => {
    const owner = await forge.user(`owner-${serial}`);
    await forge.repository(owner, { name: 'hidden', private: true, init: true });
    await forge.database.write((sql) =>
      sql.run(`update accounts set password_hash = 'plain:p w' where id = $1`, owner.account.id),
    );
    const name = `${owner.login}/hidden`;
    assert.equal((await browser.get(`/${name}`)).status, 404);
    await browser.signIn(owner.login, 'p w');
    const page = await browser.get(`/${name}`);
    assert.equal(page.status, 200);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal((await browser.get(`/repos/${name}`)).status, 404);
    assert.equal((await browser.get('/user')).status, 401);
    const refs = await browser.get(`/${name}.git/info/refs?service=git-upload-pack`);
    assert.equal(refs.status, 401);
  });
});
