import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { createUser } from '../../accounts/create-user.ts';
import { createTestBrowser, type TestBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestResponse } from '../../testing/test-forge.ts';

describe('personal access tokens', () => {
  let forge: TestForge;
  let browser: TestBrowser;
  let login = '';
  let serial = 0;

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());
  beforeEach(async () => {
    serial += 1;
    login = `person-${serial}`;
    await createUser(forge.ports, { login, password: 'p w' });
    browser = createTestBrowser(forge);
  });

  /** Fills in the form with scopes, of which there may be several. */
  const make = async (
    note: string,
    scopes: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): ReturnType<TestBrowser['get']> => {
    const page = await browser.get('/settings/tokens');
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const fields = new URLSearchParams({ note, form_token, ...more });
    for (const scope of scopes) fields.append('scopes', scope);
    return browser.post('/settings/tokens', fields);
  };

  /** Makes one, and goes where the form leads. */
  const madeAt = async (note: string, scopes: readonly string[]): Promise<TestResponse> => {
    const made = await make(note, scopes);
    assert.equal(made.status, 303, made.text);
    assert.equal(made.headers['location'], '/settings/tokens/created');
    assert.equal(tokenOn(made), '');
    return browser.get('/settings/tokens/created');
  };

  const tokenOn = (page: { text: string }): string => /hob_\w+/.exec(page.text)?.[0] ?? '';

  test('are for a session: anonymous callers, tokens and passwords in headers cannot use them', async () => {
    const anonymous = await browser.get('/settings/tokens');
    assert.equal(anonymous.status, 302);
    assert.equal(anonymous.headers['location'], '/login?return_to=%2Fsettings%2Ftokens');
    const { token } = await forge.user(`holder-${serial}`);
    const basic = Buffer.from(`${login}:p w`).toString('base64');
    for (const authorization of [`token ${token}`, `Basic ${basic}`]) {
      const page = await forge.anonymous.get('/settings/tokens', { authorization });
      assert.equal(page.status, 302);
      const post = await forge.anonymous.send('POST', '/settings/tokens', {
        body: 'note=x&scopes=repo',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      });
      assert.equal(post.status, 403);
    }
    assert.equal((await browser.get('/settings')).headers['location'], '/settings/tokens');
  });

  test('a form without its token, a blank note and an unknown scope make none', async () => {
    await browser.signIn(login, 'p w');
    const bare = await browser.post('/settings/tokens', { note: 'x', scopes: 'repo' });
    assert.equal(bare.status, 403);
    const blank = await make('  ', ['repo']);
    assert.equal(blank.status, 422);
    assert.match(blank.text, /Enter a note for the token/);
    assert.match(blank.text, /value="repo" checked/);
    const unknown = await make('x', ['everything']);
    assert.equal(unknown.status, 422);
    assert.match(unknown.text, /&#39;everything&#39; is not a scope/);
    assert.equal((await make('x'.repeat(256), [])).status, 422);
    assert.match((await browser.get('/settings/tokens')).text, /No tokens/);
  });

  test('one is shown once, works as far as its scopes go, and ends when it is deleted', async () => {
    await browser.signIn(login, 'p w');
    const created = await madeAt('<b>laptop</b>', ['repo', 'public_repo', 'read:org']);
    assert.equal(created.status, 200);
    assert.equal(created.headers['cache-control'], 'no-store');
    const token = tokenOn(created);
    const authorization = `token ${token}`;
    const user = await forge.anonymous.get('/user', { authorization });
    assert.equal(user.body.login, login);
    assert.equal(user.headers['x-oauth-scopes'], 'read:org, repo');
    assert.equal(user.headers['x-oauth-client-id'], undefined);

    const list = await browser.get('/settings/tokens');
    assert.doesNotMatch(list.text, new RegExp(token));
    assert.match(list.text, /&lt;b&gt;laptop&lt;\/b&gt;/);
    assert.match(list.text, new RegExp(`…${token.slice(-8)}`));
    const path = /action="(\/settings\/tokens\/\d+\/delete)"/.exec(list.text)?.[1] ?? '';
    assert.equal((await browser.post(path, {})).status, 403);
    await browser.get('/settings/tokens');
    assert.equal((await browser.submit(path)).status, 303);
    assert.equal((await forge.anonymous.get('/user', { authorization })).status, 401);
  });

  test('a reload after one was made shows nothing again, and makes none', async () => {
    await browser.signIn(login, 'p w');
    const made = await make('once', []);
    const shown = await forge.anonymous.get('/settings/tokens/created', {
      cookie: cookieOf(browser),
      'accept-encoding': 'gzip',
    });
    assert.match(tokenOn(shown), /^hob_/);
    // Its length would tell of the token.
    assert.equal(shown.headers['content-encoding'], undefined);
    assert.equal(made.status, 303);
    assert.match((await browser.get('/settings/tokens/created')).text, /hob_/);
    const again = await browser.get('/settings/tokens/created');
    assert.equal(again.headers['location'], '/settings/tokens');
    const list = await browser.get('/settings/tokens');
    assert.equal([...list.text.matchAll(/once/g)].length > 0, true);
    assert.equal([...list.text.matchAll(/\/settings\/tokens\/\d+\/delete/g)].length, 1);
  });

  test('expire when their form says, and the list shows it and their last use', async () => {
    await browser.signIn(login, 'p w');
    for (const [choice, problem] of [
      [{ expiration: 'soon' }, 'Choose an expiration'],
      [{ expiration: '31' }, 'Choose an expiration'],
      [{ expiration: 'custom' }, 'Enter the date'],
      [{ expiration: 'custom', expires_on: '2026-02-31x' }, 'Enter the date'],
      [{ expiration: 'custom', expires_on: '2026-13-01' }, 'Enter the date'],
      [{ expiration: 'custom', expires_on: '2027-02-31' }, 'Enter the date'],
      [{ expiration: 'custom', expires_on: '2025-12-31' }, 'must be in the future'],
    ] as const) {
      const refused = await make('x', [], choice);
      assert.equal(refused.status, 422, problem);
      assert.ok(refused.text.includes(problem), refused.text);
      assert.match(refused.text, new RegExp(`value="${choice.expiration}" selected|value="30"`));
    }
    assert.equal((await make('week', [], { expiration: '7' })).status, 303);
    const token = tokenOn(await browser.get('/settings/tokens/created'));
    assert.equal(
      (await make('day', [], { expiration: 'custom', expires_on: '2099-01-02' })).status,
      303,
    );
    assert.equal((await make('ever', [], { expiration: 'none' })).status, 303);
    const fresh = (await browser.get('/settings/tokens')).text;
    assert.match(fresh, /does not expire/);
    assert.match(fresh, /expires\s+<time datetime="2099-01-02T00:00:00Z"/);
    assert.match(fresh, /in 7 days/);
    assert.equal([...fresh.matchAll(/never used/g)].length, 3);
    const client = { authorization: `token ${token}` };
    assert.equal((await forge.anonymous.get('/user', client)).status, 200);
    await forge.ports.background.idle();
    assert.match((await browser.get('/settings/tokens')).text, /used\s+<time/);
    forge.clock.advance(7 * 24 * 3_600_000);
    assert.equal((await forge.anonymous.get('/user', client)).status, 401);
    assert.match((await browser.get('/settings/tokens')).text, /expired\s+<time/);
  });

  test('only the session that made one reads it', async () => {
    await browser.signIn(login, 'p w');
    await make('mine', []);
    const shown = browser.cookies.get('hob_shown') ?? assert.fail('no cookie');
    await createUser(forge.ports, { login: `thief-${serial}`, password: 'p w' });
    const thief = createTestBrowser(forge);
    await thief.signIn(`thief-${serial}`, 'p w');
    for (const value of [shown, 'x', 'A'.repeat(2000)]) {
      thief.cookies.set('hob_shown', value);
      const response = await thief.get('/settings/tokens/created');
      assert.equal(response.headers['location'], '/settings/tokens');
      assert.equal(tokenOn(response), '');
    }
  });

  test('a response cached for a token is not sent again after the token is deleted', async () => {
    const owner = await forge.user(`owner-${serial}`);
    const name = await forge.repository(owner, { private: true, init: true });
    const url = `/repos/${name}/pulls`;
    assert.equal((await owner.get(url)).status, 200);
    assert.equal((await owner.get(url)).status, 200);
    await forge.database.write((sql) =>
      sql.run(`update accounts set password_hash = 'plain:p w' where id = $1`, owner.account.id),
    );
    await browser.signIn(owner.login, 'p w');
    const list = await browser.get('/settings/tokens');
    const path = /action="(\/settings\/tokens\/\d+\/delete)"/.exec(list.text)?.[1] ?? '';
    assert.equal((await browser.submit(path)).status, 303);
    assert.equal((await owner.get(url)).status, 401);
  });

  test("another user's token, and one that is not there, are not found", async () => {
    const owner = await forge.user(`other-${serial}`);
    const row = await forge.database.read((sql) =>
      sql.get<{ id: number }>(`select id from tokens where account_id = $1`, owner.account.id),
    );
    await browser.signIn(login, 'p w');
    const page = await browser.get('/settings/tokens');
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    for (const id of [String(row?.id), '999999', '99999999999999999999', 'x']) {
      const response = await browser.post(`/settings/tokens/${id}/delete`, { form_token });
      assert.equal(response.status, 404, id);
    }
    assert.equal((await owner.get('/user')).status, 200);
  });
});

function cookieOf({ cookies }: TestBrowser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}
