import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createUser } from '../accounts/create-user.ts';
import { oneTimePassword, stepAt } from '../auth/one-time-password.ts';
import { authenticatorKey } from '../testing/authenticator-key.ts';
import { createTestBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';

const page = '/settings/security';

describe('the security of an account', () => {
  let forge: TestForge;
  let count = 0;

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  /** A user of this test, signed in. */
  async function signedIn(password = 'p w'): Promise<{ login: string; browser: TestBrowser }> {
    count += 1;
    const login = `user-${count}`;
    await createUser(forge.ports, { login, password });
    const browser = createTestBrowser(forge);
    await browser.signIn(login, password);
    return { login, browser };
  }

  async function another(login: string, password = 'p w'): Promise<TestBrowser> {
    const browser = createTestBrowser(forge);
    await browser.signIn(login, password);
    return browser;
  }

  const isIn = async (browser: TestBrowser): Promise<boolean> =>
    (await browser.get(page)).status === 200;

  const codeNow = (key: Uint8Array): string => oneTimePassword(key, stepAt(forge.clock.now()));

  async function enable(browser: TestBrowser): Promise<{ key: Uint8Array; codes: string[] }> {
    const { text } = await browser.get(`${page}?two-factor=set-up`);
    const key = authenticatorKey(text);
    const sent = await browser.submit(`${page}/enable`, { password: 'p w', code: codeNow(key) });
    assert.equal(sent.headers['location'], `${page}/codes`, sent.text);
    const shown = await browser.get(`${page}/codes`);
    return { key, codes: shown.text.match(/\b[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}\b/g) ?? [] };
  }

  test('is for those who are signed in, and its forms for pages of this server', async () => {
    assert.equal((await forge.anonymous.get(page)).status, 302);
    const { browser } = await signedIn();
    for (const act of ['password', 'enable', 'disable', 'end-session', 'end-others']) {
      const forged = await browser.post(`${page}/${act}`, { form_token: 'x', password: 'p w' });
      assert.equal(forged.status, 403, act);
    }
    await browser.get(page);
    const { text } = await browser.get(page);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    for (const act of ['none', 'constructor', '__proto__', 'toString']) {
      assert.equal((await browser.post(`${page}/${act}`, { form_token })).status, 404, act);
    }
  });

  test('a new password ends all other sessions, and the old password', async () => {
    const { login, browser } = await signedIn();
    const other = await another(login);
    assert.ok(await isIn(other));
    await browser.get(page);
    const changed = await browser.submit(`${page}/password`, {
      password: 'p w',
      new_password: 'new p w',
      repeated_password: 'new p w',
    });
    assert.equal(changed.status, 303, changed.text);
    assert.ok(await isIn(browser));
    assert.equal(await isIn(other), false);
    assert.ok(await isIn(await another(login, 'new p w')));
    const late = createTestBrowser(forge);
    await late.get('/login');
    assert.equal((await late.submit('/session', { login, password: 'p w' })).status, 401);
  });

  test('a password is changed by who knows the present one, and only to what can be one', async () => {
    const { browser } = await signedIn();
    for (const [fields, said] of [
      [['wrong', 'a', 'a'], /The present password is wrong/],
      [['p w', 'a', 'b'], /The new passwords differ/],
      [['p w', '', ''], /The new password must have 1 to 1024 bytes/],
      [['p w', 'x'.repeat(1025), 'x'.repeat(1025)], /The new password must have 1 to 1024 bytes/],
    ] as const) {
      await browser.get(page);
      const [password, new_password, repeated_password] = fields;
      const refused = await browser.submit(`${page}/password`, {
        password,
        new_password,
        repeated_password,
      });
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.text, said);
      assert.doesNotMatch(refused.text, /value="(?:wrong|p w|x+)"/);
    }
    assert.ok(await isIn(browser));
  });

  test('guesses of the present password are counted as those of a sign-in', async () => {
    const { browser } = await signedIn();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await browser.get(page);
      await browser.submit(`${page}/password`, {
        password: 'wrong',
        new_password: 'a',
        repeated_password: 'a',
      });
    }
    await browser.get(page);
    const locked = await browser.submit(`${page}/password`, {
      password: 'p w',
      new_password: 'a',
      repeated_password: 'a',
    });
    assert.ok([403, 429].includes(locked.status), String(locked.status));
    forge.clock.advance(11 * 60_000);
  });

  test('a second factor is set up with a code of it, and shows its recovery codes once', async () => {
    const { login, browser } = await signedIn();
    const { codes } = await enable(browser);
    assert.equal(codes.length, 10);
    assert.equal((await browser.get(`${page}/codes`)).headers['location'], page);
    assert.match((await browser.get(page)).text, /Enabled: signing in takes a code/);
    const other = createTestBrowser(forge);
    await other.signIn(login, 'p w');
    assert.equal(await isIn(other), false);
  });

  test('no second factor is enabled without its code, the password, or in place of another', async () => {
    const { browser } = await signedIn();
    const opened = await browser.get(`${page}?two-factor=set-up`);
    const key = authenticatorKey(opened.text);
    for (const fields of [
      { password: 'p w', code: '000000' },
      { password: 'p w', code: '' },
      { password: 'wrong', code: codeNow(key) },
    ]) {
      const refused = await browser.submit(`${page}/enable`, fields);
      assert.equal(refused.status, 422, refused.text);
      assert.deepEqual(authenticatorKey(refused.text), key);
    }
    for (const sealed of ['', 'x', 'a'.repeat(200)]) {
      await browser.get(`${page}?two-factor=set-up`);
      const refused = await browser.submit(`${page}/enable`, {
        password: 'p w',
        code: codeNow(key),
        sealed,
      });
      assert.equal(refused.status, 422, sealed);
    }
    await browser.get(`${page}?two-factor=set-up`);
    const { text } = await browser.get(`${page}?two-factor=set-up`);
    const [, sealed = ''] = /name="sealed" value="([^"]+)"/.exec(text) ?? [];
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    await enable(browser);
    forge.clock.advance(60_000);
    const code = codeNow(authenticatorKey(text));
    const replaced = await browser.post(`${page}/enable`, {
      form_token,
      sealed,
      password: 'p w',
      code,
    });
    assert.equal(replaced.status, 422);
    assert.match(replaced.text, /It is enabled already/);
  });

  test('a secret of one session is none of another', async () => {
    const { login, browser } = await signedIn();
    const { text } = await browser.get(`${page}?two-factor=set-up`);
    const [, sealed = ''] = /name="sealed" value="([^"]+)"/.exec(text) ?? [];
    const other = await another(login);
    await other.get(`${page}?two-factor=set-up`);
    const code = codeNow(authenticatorKey(text));
    const refused = await other.submit(`${page}/enable`, { password: 'p w', code, sealed });
    assert.equal(refused.status, 422);
  });

  test('a second factor is disabled with password and code', async () => {
    const { login, browser } = await signedIn();
    const { codes } = await enable(browser);
    for (const fields of [
      { password: 'p w', code: '000000' },
      { password: 'wrong', code: codes[0] ?? '' },
    ]) {
      await browser.get(page);
      const refused = await browser.submit(`${page}/disable`, fields);
      assert.equal(refused.status, 422, refused.text);
    }
    await browser.get(page);
    const ended = await browser.submit(`${page}/disable`, {
      password: 'p w',
      code: codes[1] ?? '',
    });
    assert.equal(ended.status, 303, ended.text);
    assert.ok(await isIn(await another(login)));
  });

  test('sessions are ended one by one or all at once, and only one’s own', async () => {
    const { login, browser } = await signedIn();
    const stranger = (await signedIn()).browser;
    const [second, third] = [await another(login), await another(login)];
    const { text } = await browser.get(page);
    const ids = [...text.matchAll(/name="session" value="([0-9a-f]{64})"/g)].map(
      ([, id]) => id ?? '',
    );
    assert.equal(ids.length, 2);
    await stranger.get(page);
    const own = await stranger.get(page);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(own.text) ?? [];
    await stranger.post(`${page}/end-session`, { form_token, session: ids[0] ?? '' });
    assert.ok((await isIn(second)) && (await isIn(third)));
    await browser.get(page);
    await browser.submit(`${page}/end-session`, { session: ids[0] ?? '' });
    assert.equal([await isIn(second), await isIn(third)].filter(Boolean).length, 1);
    const fourth = await another(login);
    await browser.get(page);
    await browser.submit(`${page}/end-others`);
    assert.deepEqual(
      [await isIn(second), await isIn(third), await isIn(fourth), await isIn(browser)],
      [false, false, false, true],
    );
  });
});
