import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';

import Fastify, { LogController } from 'fastify';
import { OAuthApp, Octokit } from 'octokit';

import { createLog } from '#platform/log.ts';

import { createApplication, type CreatedApplication } from '../../auth/create-application.ts';
import { createUser } from '../../accounts/create-user.ts';
import { createForge, forgeServerOptions } from '../../forge.ts';
import { createTestBrowser, type TestBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestResponse, type TestForge } from '../../testing/test-forge.ts';

const minutes = 60_000;
const callbackUrl = 'https://app.test/back';
const authorize = '/login/oauth/authorize';

describe('the web application flow', () => {
  let forge: TestForge;
  let application: CreatedApplication;
  let browser: TestBrowser;
  let login = '';
  let serial = 0;

  before(async () => {
    forge = await startTestForge();
    application = await createApplication(forge.ports, { name: 'The <app>', callbackUrl });
  });
  after(() => forge.close());
  beforeEach(async () => {
    serial += 1;
    login = `person-${serial}`;
    await createUser(forge.ports, { login, password: 'p w' });
    browser = createTestBrowser(forge);
  });

  const link = (parameters: Record<string, string> = {}): string => {
    const query = new URLSearchParams({ client_id: application.clientId, ...parameters });
    return `${authorize}?${query.toString()}`;
  };

  /** The parameters that the application receives at its registered URL. */
  const sent = (response: TestResponse, at = callbackUrl): Record<string, string> => {
    const location = response.headers['location'] ?? '';
    assert.ok(location.startsWith(`${at}?`), location);
    return Object.fromEntries(new URL(location).searchParams);
  };

  /** A code for a user who says yes. */
  const codeFor = async (parameters: Record<string, string> = {}): Promise<string> => {
    if (!browser.cookies.has('hob_session')) await browser.signIn(login, 'p w');
    const page = await browser.get(link(parameters));
    const response =
      page.status === 302 ? page : await browser.submit(authorize, { authorize: '1' });
    return sent(response, parameters['redirect_uri'])['code'] ?? '';
  };

  const exchange = (
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> =>
    forge.anonymous.send('POST', '/login/oauth/access_token', {
      body: JSON.stringify({
        client_id: application.clientId,
        client_secret: application.clientSecret,
        ...fields,
      }),
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    });

  const assertRefused = (response: TestResponse, error: string): void => {
    assert.equal(response.status, 200);
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.deepEqual(Object.keys(response.body), ['error', 'error_description', 'error_uri']);
    assert.equal(response.body.error, error);
  };

  test('an unknown application, and one without a callback URL, are refused with a page', async () => {
    for (const path of [authorize, `${authorize}?client_id=none`]) {
      const response = await browser.get(path);
      assert.equal(response.status, 404);
      assert.match(response.headers['content-type'] ?? '', /^text\/html/);
    }
    const silent = await createApplication(forge.ports, { name: 'silent' });
    const response = await browser.get(`${authorize}?client_id=${silent.clientId}`);
    assert.equal(response.status, 422);
    assert.match(response.text, /has no callback URL/);
  });

  test('a callback URL that is none is refused when the application is made', async () => {
    const input = { name: 'odd', callbackUrl: 'javascript:alert(1)' };
    await assert.rejects(createApplication(forge.ports, input), { name: 'RefusalError' });
  });

  test('a redirect elsewhere is reported only to the registered URL, before the user signs in', async () => {
    for (const redirect_uri of ['https://evil.example/', 'https://app.test/other', 'x']) {
      const fields = sent(await browser.get(link({ redirect_uri, state: 'a b' })));
      assert.equal(fields['error'], 'redirect_uri_mismatch');
      assert.equal(fields['state'], 'a b');
      assert.equal(fields['code'], undefined);
    }
  });

  test('a challenge that is not by S256 is refused', async () => {
    const code_challenge = 'a'.repeat(43);
    for (const parameters of [
      { code_challenge },
      { code_challenge, code_challenge_method: 'plain' },
      { code_challenge: 'short', code_challenge_method: 'S256' },
      { code_challenge_method: 'S256' },
    ]) {
      assert.equal(sent(await browser.get(link(parameters)))['error'], 'invalid_request');
    }
  });

  test('a user who is not signed in does that first and returns to the same question', async () => {
    const requested = link({ scope: 'repo user:email', state: 'x&y', login });
    const response = await browser.get(requested);
    assert.equal(response.status, 302);
    const page = await browser.get(response.headers['location'] ?? '');
    assert.match(page.text, new RegExp(`value="${login}"`));
    // Browsers hold what follows the form against this too.
    assert.match(
      page.headers['content-security-policy'] ?? '',
      /form-action 'self' https:\/\/app\.test;/,
    );
    const back = await browser.submit('/session', { login, password: 'p w' });
    assert.equal(back.headers['location'], requested.replaceAll('+', '+'));
    const consent = await browser.get(back.headers['location'] ?? '');
    assert.equal(consent.status, 200);
    assert.equal(consent.headers['cache-control'], 'no-store');
    assert.match(consent.text, /Authorize The &lt;app&gt;/);
    assert.match(consent.text, /https:\/\/app\.test/);
    assert.match(consent.text, /<code>repo<\/code>[^]*<code>user:email<\/code>/);
  });

  test('consent needs the form of this browser; a refusal is reported to the application', async () => {
    await browser.signIn(login, 'p w');
    await browser.get(link({ state: 's' }));
    const forged = await browser.post(authorize, {
      client_id: application.clientId,
      authorize: '1',
    });
    assert.equal(forged.status, 403);
    const outsider = await createTestBrowser(forge).post(authorize, {
      client_id: application.clientId,
      authorize: '1',
    });
    assert.equal(outsider.status, 403);
    await browser.get(link({ state: 's' }));
    const no = await browser.submit(authorize, { authorize: '0' });
    assert.equal(no.status, 303);
    const fields = sent(no);
    assert.equal(fields['error'], 'access_denied');
    assert.equal(fields['state'], 's');
    assert.equal((await browser.get(link())).status, 200, 'it is asked again');
  });

  test('wrong client credentials get no token and leave the code as it is', async () => {
    const code = await codeFor();
    for (const wrong of [
      { client_secret: 'wrong' },
      { client_id: 'none' },
      { client_secret: '' },
    ]) {
      assertRefused(await exchange({ code, ...wrong }), 'incorrect_client_credentials');
    }
    const other = await createApplication(forge.ports, { name: 'other', callbackUrl });
    const stolen = { client_id: other.clientId, client_secret: other.clientSecret, code };
    assertRefused(await exchange(stolen), 'bad_verification_code');
    assert.match((await exchange({ code })).body.access_token, /^hob_/);
  });

  test('a code is good once, for ten minutes, for the URL it went to', async () => {
    assertRefused(await exchange({ code: 'none' }), 'bad_verification_code');
    assertRefused(await exchange({}), 'bad_verification_code');
    const used = await codeFor();
    assert.match((await exchange({ code: used })).body.access_token, /^hob_/);
    assertRefused(await exchange({ code: used }), 'bad_verification_code');
    const late = await codeFor();
    forge.clock.advance(10 * minutes);
    assertRefused(await exchange({ code: late }), 'bad_verification_code');
    const redirect_uri = `${callbackUrl}/deep`;
    const elsewhere = await codeFor({ redirect_uri });
    const mismatch = await exchange({ code: elsewhere, redirect_uri: callbackUrl });
    assertRefused(mismatch, 'redirect_uri_mismatch');
    const here = await codeFor({ redirect_uri });
    assert.match((await exchange({ code: here, redirect_uri })).body.access_token, /^hob_/);
  });

  test('of several exchanges at once, one gets a token', async () => {
    const code = await codeFor();
    const responses = await Promise.all([1, 2, 3, 4].map(() => exchange({ code })));
    assert.equal(
      responses.filter((response) => response.body.access_token !== undefined).length,
      1,
    );
  });

  test('a challenge is met by its verifier only, and a verifier needs a challenge', async () => {
    const code_verifier = 'v'.repeat(50);
    const challenge = {
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const refused = 'bad_verification_code';
    assertRefused(await exchange({ code: await codeFor(challenge) }), refused);
    assertRefused(
      await exchange({ code: await codeFor(challenge), code_verifier: 'w'.repeat(50) }),
      refused,
    );
    assertRefused(await exchange({ code: await codeFor(), code_verifier }), refused);
    const right = await exchange({ code: await codeFor(challenge), code_verifier });
    assert.match(right.body.access_token, /^hob_/);
  });

  test('credentials in the URL, other grants and unreadable bodies get nothing', async () => {
    const code = await codeFor();
    const query = new URLSearchParams({
      client_id: application.clientId,
      client_secret: application.clientSecret,
      code,
    });
    const inUrl = await forge.anonymous.send(
      'POST',
      `/login/oauth/access_token?${query.toString()}`,
      { headers: { accept: 'application/json' } },
    );
    assertRefused(inUrl, 'incorrect_client_credentials');
    const device = await exchange({ code, grant_type: 'password' });
    assertRefused(device, 'unsupported_grant_type');
    const broken = await forge.anonymous.send('POST', '/login/oauth/access_token', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(broken.status, 400);
    assert.equal((await forge.anonymous.get('/login/oauth/access_token')).status, 404);
  });

  test('the response is a form, JSON or XML, and the question a form, JSON or Basic credentials', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const ask = async (accept: Record<string, string>, basic: boolean): Promise<TestResponse> => {
      const { clientId, clientSecret } = application;
      const code = await codeFor({ scope: 'repo,user' });
      const secret = { client_id: clientId, client_secret: clientSecret };
      const fields = new URLSearchParams({ code, ...(basic ? {} : secret) });
      const label = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
      return forge.anonymous.send('POST', '/login/oauth/access_token', {
        body: fields.toString(),
        headers: { ...form, ...accept, ...(basic ? { authorization: `Basic ${label}` } : {}) },
      });
    };
    const plain = await ask({}, false);
    assert.match(plain.headers['content-type'] ?? '', /^application\/x-www-form-urlencoded/);
    assert.match(plain.text, /^access_token=hob_\w+&token_type=bearer&scope=repo%2Cuser$/);
    const json = await ask({ accept: 'application/json' }, true);
    assert.deepEqual(Object.keys(json.body), ['access_token', 'token_type', 'scope']);
    const xml = await ask({ accept: 'application/xml' }, false);
    assert.match(xml.text, /<OAuth><access_token>hob_\w+<\/access_token>/);
  });

  test('the token says whose it is, and works on git as far as its scopes go', async () => {
    await browser.signIn(login, 'p w');
    const code = await codeFor({ scope: 'repo, public_repo no-such-scope read:org' });
    const created = await exchange({ code });
    assert.equal(created.body.scope, 'read:org,repo');
    const token: string = created.body.access_token;
    const headers = { authorization: `token ${token}` };
    const user = await forge.anonymous.get('/user', headers);
    assert.equal(user.body.login, login);
    assert.equal(user.headers['x-oauth-scopes'], 'read:org, repo');
    assert.equal(user.headers['x-oauth-client-id'], application.clientId);
    const repository = await forge.anonymous.send('POST', '/user/repos', {
      body: { name: 'mine', private: true, auto_init: true },
      headers,
    });
    assert.equal(repository.status, 201);
    const refs = `/${login}/mine.git/info/refs?service=git-receive-pack`;
    const basic = Buffer.from(`x:${token}`).toString('base64');
    assert.equal(
      (await forge.anonymous.get(refs, { authorization: `Basic ${basic}` })).status,
      200,
    );
    const narrow = await createApplication(forge.ports, { name: 'narrow', callbackUrl });
    await browser.get(`${authorize}?client_id=${narrow.clientId}`);
    const yes = await browser.submit(authorize, { authorize: '1' });
    const small = await exchange({
      client_id: narrow.clientId,
      client_secret: narrow.clientSecret,
      code: sent(yes)['code'] ?? '',
    });
    assert.equal(small.body.scope, '');
    const limited = Buffer.from(`x:${small.body.access_token}`).toString('base64');
    const refused = await forge.anonymous.get(refs, { authorization: `Basic ${limited}` });
    assert.equal(refused.status, 404);
  });

  test('what was allowed before is not asked again; more is; nothing named means all of it', async () => {
    await codeFor({ scope: 'user' });
    assert.equal((await browser.get(link({ scope: 'user:email' }))).status, 302);
    assert.equal((await browser.get(link({ scope: 'user repo' }))).status, 200);
    await browser.submit(authorize, { authorize: '1' });
    const all = await browser.get(link());
    const created = await exchange({ code: sent(all)['code'] ?? '' });
    assert.equal(created.body.scope, 'repo,user');
    const some = await exchange({ code: await codeFor({ scope: 'user:email' }) });
    assert.equal(some.body.scope, 'user:email');
  });

  test('of more than ten tokens with the same scopes the oldest ends', async () => {
    const tokens: string[] = [];
    for (let time = 0; time < 11; time += 1) {
      tokens.push((await exchange({ code: await codeFor() })).body.access_token);
    }
    const statuses = await Promise.all(
      tokens.map(async (token) => {
        const response = await forge.anonymous.get('/user', { authorization: `token ${token}` });
        return response.status;
      }),
    );
    assert.deepEqual(statuses, [401, ...Array.from({ length: 10 }, () => 200)]);
  });

  test('revoking an application ends its tokens and codes, and it has to ask again', async () => {
    const created = await exchange({ code: await codeFor({ scope: 'repo' }) });
    const authorization = `token ${created.body.access_token}`;
    const waiting = await codeFor();
    const page = await browser.get('/settings/applications');
    assert.match(page.text, /The &lt;app&gt;/);
    const path = /action="(\/settings\/applications\/\d+\/revoke)"/.exec(page.text)?.[1] ?? '';
    assert.equal((await browser.post(path, {})).status, 403);
    assert.equal((await forge.anonymous.get('/user', { authorization })).status, 200);
    await browser.get('/settings/applications');
    assert.equal((await browser.submit(path)).status, 303);
    assert.equal((await forge.anonymous.get('/user', { authorization })).status, 401);
    assertRefused(await exchange({ code: waiting }), 'bad_verification_code');
    assert.equal((await browser.get(link({ scope: 'repo' }))).status, 200);
    const empty = await browser.get('/settings/applications');
    assert.match(empty.text, /No application may act for you/);
    assert.doesNotMatch((await browser.get('/settings/tokens')).text, /…/);
  });

  test('an unmodified client gets its token by the flow', async () => {
    const baseUrl = `http://${await forge.listen()}/api/v3`;
    const app = new OAuthApp({
      clientId: application.clientId,
      clientSecret: application.clientSecret,
      defaultScopes: ['repo', 'user'],
      Octokit: Octokit.defaults({ baseUrl, userAgent: 'test' }),
    });
    const { url } = app.getWebFlowAuthorizationUrl({ state: 'state-1' });
    const { pathname, search } = new URL(url);
    await browser.signIn(login, 'p w');
    await browser.get(pathname + search);
    const fields = sent(await browser.submit(authorize, { authorize: '1' }));
    assert.equal(fields['state'], 'state-1');
    const { authentication } = await app.createToken({ code: fields['code'] ?? '' });
    assert.deepEqual(authentication.scopes, ['repo,user']);
    const octokit = new Octokit({ auth: authentication.token, baseUrl });
    const user = await octokit.rest.users.getAuthenticated();
    assert.equal(user.data.login, login);
    assert.equal(user.headers['x-oauth-client-id'], application.clientId);
    await assert.rejects(app.createToken({ code: fields['code'] ?? '' }), /bad_verification_code/);

    const { token } = authentication;
    const checked = await app.checkToken({ token });
    assert.equal(checked.data.user?.login, login);
    const reset = await app.resetToken({ token });
    await assert.rejects(app.checkToken({ token }), { status: 404 });
    const next = reset.authentication.token;
    assert.deepEqual(reset.authentication.scopes, ['repo', 'user']);
    assert.equal((await app.deleteToken({ token: next })).status, 204);
    const last = await exchange({ code: sent(await browser.get(link()))['code'] ?? '' });
    const revoked = await app.deleteAuthorization({ token: last.body.access_token });
    assert.equal(revoked.status, 204);
    assert.equal((await browser.get(link())).status, 200, 'the user is asked again');
  });

  test('an application sees only its own tokens, and no other caller sees them', async () => {
    const path = `/applications/${application.clientId}/token`;
    const created = await exchange({ code: await codeFor() });
    const body = { access_token: created.body.access_token };
    const basic = ({ clientId, clientSecret }: CreatedApplication): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    });
    const other = await createApplication(forge.ports, { name: 'curious', callbackUrl });
    const user = await forge.user();
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const ask = (headers: Record<string, string>, at = path): Promise<TestResponse> =>
        forge.anonymous.send(method, at, { body, headers });
      assert.equal((await ask({})).status, 404);
      assert.equal((await ask(basic(other))).status, 404);
      assert.equal(
        (await ask(basic(other), path.replace(/[^/]+(?=\/token)/, other.clientId))).status,
        404,
      );
      assert.equal((await ask({ authorization: `token ${body.access_token}` })).status, 404);
      const empty = await forge.anonymous.send(method, path, { headers: basic(application) });
      assert.equal(empty.status, 422);
      const personal = { access_token: user.token };
      const headers = basic(application);
      assert.equal(
        (await forge.anonymous.send(method, path, { body: personal, headers })).status,
        404,
      );
    }
    const good = await forge.anonymous.send('POST', path, { body, headers: basic(application) });
    assert.equal(good.body.user.login, login);
  });

  test('no password, code, state or token comes into the log, even at its most talkative', async () => {
    const lines: string[] = [];
    const server = Fastify({
      ...forgeServerOptions,
      loggerInstance: createLog('debug', (line) => lines.push(line)),
      logController: new LogController({ disableRequestLogging: true }),
    });
    await server.register(createForge(forge.ports));
    await server.ready();
    try {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const [method, url, payload] of [
        ['GET', `${authorize}?client_id=${application.clientId}&state=quiet`, ''],
        ['GET', `${authorize}?code=quiet&state=quiet`, ''],
        ['GET', '/login/oauth/none?code=quiet', ''],
        ['GET', '/login?return_to=quiet%zz', ''],
        ['POST', '/session', 'login=a&password=quiet'],
        ['POST', '/login/oauth/access_token', 'client_secret=quiet&code=quiet'],
      ] as const) {
        const response = await server.inject({ method, url, payload, headers: form });
        assert.ok(response.statusCode < 500);
      }
      assert.doesNotMatch(lines.join(''), /quiet/);
    } finally {
      await server.close();
    }
  });
});
