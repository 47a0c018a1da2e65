import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import type { SiteAct } from '#platform/site-act.ts';

import { findAccount } from '../accounts/account-store.ts';
import { createUser } from '../accounts/create-user.ts';
import { createApplication, type CreatedApplication } from '../auth/create-application.ts';
import { createToken } from '../auth/create-token.ts';
import { findSecondFactor } from '../auth/second-factor-store.ts';
import { oneTimePassword, stepAt } from '../auth/one-time-password.ts';
import { enableTwoFactor } from '../auth/two-factor.ts';
import { createTestApp } from '../testing/test-app.ts';
import { createTestBrowser, type TestBrowser } from '../testing/test-browser.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';
import { type KeyFile, type SshForge, startSshForge, withoutOpenSsh } from '../testing/test-ssh.ts';

const callbackUrl = 'https://app.test/back';
const message = 'Sorry. Your account was suspended.';
const gitMessage = 'Your account is suspended. Please check with your installation administrator.';

describe('a suspended user', () => {
  let forge: TestForge;
  let root: TestUser;
  let ada: TestUser;
  let web: CreatedApplication;
  let program: CreatedApplication;
  let login: string;
  let browser: TestBrowser;
  let serial = 0;
  const acts: SiteAct[] = [];

  before(async () => {
    forge = await startTestForge({}, { recordSiteAct: async (act) => void acts.push(act) });
    root = await forge.user('root', { siteAdmin: true });
    ada = await forge.user('ada');
    web = await createApplication(forge.ports, { name: 'Web', callbackUrl });
    program = await createApplication(forge.ports, { name: 'Program' });
  });
  after(() => forge.close());
  beforeEach(async () => {
    serial += 1;
    login = `person-${serial}`;
    await createUser(forge.ports, { login, password: 'p w' });
    browser = createTestBrowser(forge);
  });

  const path = (of = login): string => `/users/${of}/suspended`;
  const suspend = async (): Promise<void> => {
    assert.equal((await root.put(path())).status, 204);
  };
  const unsuspend = async (): Promise<void> => {
    assert.equal((await root.delete(path())).status, 204);
  };
  const basic = (name: string, password: string): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const token = async (): Promise<string> =>
    (await createToken(forge.ports, { login, scopes: ['repo', 'user'] })).token;

  const exchange = (
    fields: Record<string, string>,
    { clientId, clientSecret } = web,
  ): Promise<TestResponse> =>
    forge.anonymous.send('POST', '/login/oauth/access_token', {
      body: { client_id: clientId, client_secret: clientSecret, ...fields },
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    });
  const codeOfApplication = async (): Promise<string> => {
    const authorize = '/login/oauth/authorize';
    await browser.get(`${authorize}?client_id=${web.clientId}&scope=repo`);
    const { headers } = await browser.submit(authorize, { authorize: '1' });
    return new URL(headers['location'] ?? '').searchParams.get('code') ?? '';
  };

  test('is made and unmade by site administrators alone, of ordinary users', async () => {
    for (const [method, target] of [
      ['PUT', path()],
      ['DELETE', path()],
    ] as const) {
      assert.equal((await forge.anonymous.send(method, target)).status, 401);
      assert.equal((await ada.send(method, target)).status, 404);
      const narrow = await forge.withScopes(root, ['repo', 'user']);
      assert.equal((await narrow.send(method, target)).status, 404);
      assert.equal((await root.send(method, path('none'))).status, 404);
      assert.equal((await root.send(method, target, { body: { reason: 1 } })).status, 422);
      const long = { reason: 'x'.repeat(1025) };
      assert.equal((await root.send(method, target, { body: long })).status, 422);
    }
    const own = await root.put(path('root'));
    assert.deepEqual(
      [own.status, own.body.message],
      [422, 'root is a site administrator. Demote the user first.'],
    );
    const organization = await forge.organization(ada);
    assert.equal((await root.put(path(organization.login))).status, 404);
    assert.equal((await forge.anonymous.get(`/users/${login}`)).body.suspended_at, null);
  });

  test('is shown as such, and every act is recorded with its reason', async () => {
    acts.length = 0;
    await root.put(path(), { reason: 'has left' });
    const at = forge.clock.now();
    forge.clock.advance(60_000);
    await suspend();
    const { body } = await forge.anonymous.get(`/users/${login}`);
    assert.equal(Date.parse(body.suspended_at), Math.floor(at / 1000) * 1000);
    await unsuspend();
    assert.equal((await forge.anonymous.get(`/users/${login}`)).body.suspended_at, null);
    await root.put(path('root'));
    assert.deepEqual(
      acts.map(({ action, actor, parameters, errorCode }) => [
        action,
        actor,
        parameters,
        errorCode,
      ]),
      [
        ['user.suspend', 'root', { user: login, reason: 'has left' }, undefined],
        ['user.suspend', 'root', { user: login, reason: 'Suspended via API by root' }, undefined],
        [
          'user.unsuspend',
          'root',
          { user: login, reason: 'Unsuspended via API by root' },
          undefined,
        ],
        [
          'user.suspend',
          'root',
          { user: 'root', reason: 'Suspended via API by root' },
          'unprocessable',
        ],
      ],
    );
  });

  test('signs in to the API by no credential, nor by what was checked before', async () => {
    const personal = await token();
    const issued = await root.post(`/admin/users/${login}/authorizations`, { scopes: ['repo'] });
    await browser.signIn(login, 'p w');
    const code = await codeOfApplication();
    const { body: ofWeb } = await exchange({ code });
    const credentials = [
      { authorization: `token ${personal}` },
      { authorization: `Bearer ${personal}` },
      basic(personal, 'x-oauth-basic'),
      basic('anything', personal),
      { authorization: `token ${issued.body.token}` },
      { authorization: `token ${ofWeb.access_token}` },
      basic(login, 'p w'),
    ];
    const ask = async (headers: Record<string, string>): Promise<unknown[]> => {
      const rest = await forge.anonymous.get('/user', headers);
      const graph = await forge.anonymous.send('POST', '/graphql', {
        headers,
        body: { query: '{ viewer { login } }' },
      });
      return [rest.status, rest.body.login ?? rest.body.message, graph.status];
    };
    for (const headers of credentials) assert.deepEqual(await ask(headers), [200, login, 200]);
    await suspend();
    for (const headers of credentials) assert.deepEqual(await ask(headers), [403, message, 403]);
    // The wrong password says nothing of the account.
    assert.equal((await forge.anonymous.get('/user', basic(login, 'wrong'))).status, 401);
    await unsuspend();
    for (const headers of credentials) assert.deepEqual(await ask(headers), [200, login, 200]);
  });

  test('neither fetches nor pushes over HTTP, with a password or a token', async () => {
    const personal = await token();
    const repository = await forge.repository(ada, { private: true });
    await ada.put(`/repos/${repository}/collaborators/${login}`, { permission: 'push' });
    const invitations = await forge.anonymous.get(
      '/user/repository_invitations',
      basic(login, 'p w'),
    );
    const accept = `/user/repository_invitations/${invitations.body[0].id}`;
    await forge.anonymous.send('PATCH', accept, { headers: basic(login, 'p w') });
    const ask = async (password: string, service: string): Promise<[number, string]> => {
      const target = `/${repository}.git/info/refs?service=git-${service}`;
      const { status, text } = await forge.anonymous.get(target, basic(login, password));
      return [status, text];
    };
    for (const password of ['p w', personal]) {
      for (const service of ['upload-pack', 'receive-pack']) {
        assert.equal((await ask(password, service))[0], 200);
      }
    }
    await suspend();
    for (const password of ['p w', personal]) {
      for (const service of ['upload-pack', 'receive-pack']) {
        const [status, text] = await ask(password, service);
        assert.equal(status, 403);
        assert.ok(text.includes(gitMessage), text);
      }
    }
  });

  test('is signed out of browsers for good, and signs in with no password or code', async () => {
    await browser.signIn(login, 'p w');
    assert.equal((await browser.get('/settings/tokens')).status, 200);
    const copy = createTestBrowser(forge);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    await suspend();
    assert.equal((await browser.get('/settings/tokens')).status, 302);
    assert.equal((await copy.get('/settings/tokens')).status, 302);
    const fresh = createTestBrowser(forge);
    await fresh.get('/login');
    const refused = await fresh.submit('/session', { login, password: 'p w' });
    assert.deepEqual([refused.status, fresh.cookies.has('hob_session')], [403, false]);
    assert.match(refused.text, /role="alert"[^]*Your account is suspended/);
    const wrong = await fresh.submit('/session', { login, password: 'wrong' });
    assert.equal(wrong.status, 401);
    assert.doesNotMatch(wrong.text, /suspended/);
    await unsuspend();
    assert.equal((await copy.get('/settings/tokens')).status, 302);
    await fresh.signIn(login, 'p w');
  });

  test('ends a sign-in that waits for its second factor', async () => {
    await enableTwoFactor(forge.ports, login);
    const account = await forge.database.read((sql) => findAccount(sql, login));
    const factor = await forge.database.read((sql) => findSecondFactor(sql, account?.id ?? 0));
    await browser.get('/login');
    const first = await browser.submit('/session', { login, password: 'p w' });
    await browser.get(first.headers['location'] ?? '');
    await suspend();
    const code = oneTimePassword(factor?.secret ?? new Uint8Array(), stepAt(forge.clock.now()));
    const refused = await browser.submit('/sessions/two-factor', { code });
    assert.deepEqual([refused.status, browser.cookies.has('hob_session')], [401, false]);
    const headers = { ...basic(login, 'p w'), 'x-github-otp': code };
    assert.equal((await forge.anonymous.get('/user', headers)).body.message, message);
  });

  test('gives applications and programs no token for what was allowed before', async () => {
    await browser.signIn(login, 'p w');
    const code = await codeOfApplication();
    const asked = await forge.anonymous.send('POST', '/login/device/code', {
      body: { client_id: program.clientId, scope: 'repo' },
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    });
    const { device_code, user_code } = asked.body;
    await browser.get('/login/device');
    await browser.submit('/login/device', { user_code });
    await browser.submit('/login/device/authorize', { user_code, authorize: '1' });
    await suspend();
    assert.equal((await exchange({ code })).body.error, 'bad_verification_code');
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const polled = await exchange({ device_code, grant_type }, program);
    assert.equal(polled.body.error, 'access_denied');
    await unsuspend();
    assert.equal((await exchange({ code })).body.error, 'bad_verification_code');
  });
});

describe('what a suspended user has set up', () => {
  let forge: TestForge;
  let root: TestUser;
  let ada: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    root = await forge.user('root', { siteAdmin: true });
    ada = await forge.user('ada');
    name = await forge.repository(ada, { init: true, private: true });
  });
  after(() => forge.close());

  test('is refused where it acts with a key that the user has: its Apps', async () => {
    const app = await createTestApp(forge, ada.account.id, { permissions: { contents: 'write' } });
    const robot = await app.token(await app.install('ada'));
    const other = await createTestApp(forge, root.account.id, {
      name: 'Other',
      permissions: { contents: 'read' },
    });
    const machine = await other.token(await other.install('ada'));
    const contents = `/repos/${name}/contents/README.md`;
    assert.equal((await robot.get(contents)).status, 200);
    await root.put('/users/ada/suspended');
    const refused = await app.client.get('/app');
    assert.deepEqual([refused.status, refused.body.message], [403, message]);
    assert.equal((await robot.get(contents)).status, 401);
    assert.equal((await machine.get(contents)).status, 200);
    await root.delete('/users/ada/suspended');
    assert.equal((await app.client.get('/app')).status, 200);
    assert.equal((await robot.get(contents)).status, 200);
  });
});

describe('a suspended user, over SSH,', { skip: withoutOpenSsh }, () => {
  let site: SshForge;
  let root: TestUser;
  let ada: TestUser;
  let key: KeyFile;
  let name: string;
  const host = 'git@127.0.0.1';

  before(async () => {
    site = await startSshForge();
    root = await site.forge.user('root', { siteAdmin: true });
    ada = await site.forge.user('ada');
    key = await site.keyOf(ada);
    name = await site.forge.repository(ada, { init: true });
  });
  after(() => site.close());

  test('gets nothing by its keys; the deploy keys that it has added are of the repository', async () => {
    const deploy = await site.keyFile();
    const added = await ada.post(`/repos/${name}/keys`, { key: deploy.publicKey });
    assert.equal(added.status, 201, added.text);
    const list = (as: KeyFile): ReturnType<SshForge['git']> =>
      site.git(site.folder, as, 'ls-remote', site.remote(name));
    const grant = await site.ssh(key, host, `git-lfs-authenticate '${name}.git' download`);
    const header: string = JSON.parse(grant.stdout).header.Authorization;
    const objects = (): Promise<TestResponse> =>
      site.forge.anonymous.send('POST', `/${name}.git/info/lfs/objects/batch`, {
        body: { operation: 'download', objects: [] },
        headers: {
          authorization: header,
          accept: 'application/vnd.git-lfs+json',
          'content-type': 'application/vnd.git-lfs+json',
        },
      });
    assert.equal((await list(key)).code, 0);
    assert.equal((await objects()).status, 200);
    await root.put('/users/ada/suspended');
    for (const refused of [
      await list(key),
      await site.ssh(key, host),
      await site.ssh(key, host, `git-receive-pack '${name}.git'`),
      await site.ssh(key, host, `git-lfs-authenticate '${name}.git' download`),
    ]) {
      assert.notEqual(refused.code, 0);
      assert.equal(refused.stdout, '');
      assert.ok(refused.stderr.includes(`ERROR: ${gitMessage}`), refused.stderr);
    }
    assert.equal((await objects()).status, 403);
    assert.equal((await list(deploy)).code, 0);
    await root.delete('/users/ada/suspended');
    assert.equal((await list(key)).code, 0);
    assert.match((await site.ssh(key, host)).stderr, /^Hi ada!/);
  });
});
