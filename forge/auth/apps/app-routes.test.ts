import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { generateKeyPairSync } from 'node:crypto';

import { insertAccount } from '../../accounts/account-store.ts';
import { writeAccounts } from '../../events/invalidate.ts';
import { confirmCaller } from '../../http/authentication.ts';
import type { Caller } from '../../model/caller.ts';
import { insertApp } from './app-store.ts';
import { replaceKey } from './create-app.ts';
import { clientWith, createTestApp, signJwt, type TestApp } from '../../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';

describe('a GitHub App', () => {
  let forge: TestForge;
  let owner: TestUser;
  let robot: TestApp;
  let other: TestApp;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    await forge.organization(owner, 'acme');
    await forge.repository(owner, { name: 'one', init: true });
    await forge.repository(owner, { name: 'two' });
    await forge.repository(owner, { name: 'hidden', private: true });
    const permissions = { contents: 'write', issues: 'read' };
    robot = await createTestApp(forge, owner.account.id, { permissions, events: ['push'] });
    other = await createTestApp(forge, owner.account.id, { name: 'Other' });
  });
  after(() => forge.close());

  const tokensPath = (id: number): string => `/app/installations/${id}/access_tokens`;

  test('is refused without a JSON Web Token, also with other credentials', async () => {
    const installation = await robot.install('own');
    const token = await robot.token(installation);
    for (const client of [forge.anonymous, owner, token]) {
      const response = await client.get('/app');
      assert.equal(response.status, 401, response.text);
      assert.equal(response.body.message, 'A JSON web token could not be decoded');
    }
  });

  test('is refused with a token that is wrong in one thing, with the message that clients know', async () => {
    const seconds = Math.floor(forge.clock.now() / 1000);
    const foreign = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    const iss = robot.app.id;
    const decoded = 'A JSON web token could not be decoded';
    const expiration =
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
    const tooFar = "'Expiration time' claim ('exp') is too far in the future";
    const issuedAt =
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
    const issuer = "Missing 'issuer' claim ('iss') in assertion";
    const sign = (claims: Record<string, unknown>, key = robot.privateKey): string =>
      signJwt(forge, key, { iss, ...claims });
    const good = sign({});
    const cases: readonly (readonly [token: string, status: number, message: string])[] = [
      [sign({}, foreign.privateKey), 401, decoded],
      [sign({}, other.privateKey), 401, decoded],
      [`${good.slice(0, good.lastIndexOf('.'))}.`, 401, decoded],
      [signJwt(forge, robot.privateKey, { iss }, { alg: 'none' }), 401, decoded],
      [signJwt(forge, robot.privateKey, { iss }, { alg: 'HS256' }), 401, decoded],
      ['eyJ.eyJ.eyJ', 401, decoded],
      [signJwt(forge, robot.privateKey, { iss }, { alg: 'RS256', crit: ['b64'] }), 401, decoded],
      [sign({ nbf: seconds + 61 }), 401, decoded],
      [sign({ iss: undefined }), 401, issuer],
      [sign({ iss: 999_999 }), 404, 'Integration not found'],
      [sign({ iss: 'Iv1.0000000000000000' }), 404, 'Integration not found'],
      [sign({ exp: seconds }), 401, expiration],
      [sign({ exp: undefined }), 401, expiration],
      [sign({ exp: String(seconds + 60) }), 401, expiration],
      [sign({ exp: seconds + 601 }), 401, tooFar],
      [sign({ iat: seconds + 61 }), 401, issuedAt],
      [sign({ iat: undefined }), 401, issuedAt],
      [sign({ iat: seconds + 0.5 }), 401, issuedAt],
    ];
    for (const [token, status, message] of cases) {
      const response = await clientWith(forge, () => `Bearer ${token}`).get('/app');
      assert.deepEqual([response.status, response.body.message], [status, message], token);
    }
  });

  test('is asked for its token again when the body came late', async () => {
    const app = await createTestApp(forge, owner.account.id, { name: 'Late' });
    const expiresAt = forge.clock.now() + 1;
    const authentication = {
      caller: { kind: 'app', app: app.app, expiresAt },
      tokenSha256: undefined,
      passwordHash: undefined,
    } as const;
    const confirm = (now: number): Promise<Caller | undefined> =>
      forge.database.read((sql) => confirmCaller(sql, authentication, now));
    assert.equal((await confirm(expiresAt - 1))?.kind, 'app');
    assert.equal(await confirm(expiresAt), undefined);
    await replaceKey(forge.ports, app.app.id);
    assert.equal(await confirm(expiresAt - 1), undefined);
  });

  test('shows itself to itself, by its id and by its client id', async () => {
    await robot.install('own');
    for (const iss of [robot.app.id, String(robot.app.id), robot.app.clientId]) {
      const token = signJwt(forge, robot.privateKey, { iss });
      const response = await clientWith(forge, () => `Bearer ${token}`).get('/app');
      assert.equal(response.status, 200, response.text);
      const { slug, name, permissions, events, owner: shown } = response.body;
      assert.deepEqual([slug, name, shown.login], ['robot', 'Robot', 'own']);
      assert.deepEqual(permissions, { contents: 'write', issues: 'read', metadata: 'read' });
      assert.deepEqual(events, ['push']);
      assert.equal(response.body.installations_count, 1);
    }
  });

  test('is shown to everybody by its slug, with no secret', async () => {
    const response = await forge.anonymous.get('/api/v3/apps/robot');
    assert.equal(response.status, 200);
    assert.equal(response.body.html_url, 'http://forge.test/apps/robot');
    assert.equal((await forge.anonymous.get('/api/v3/apps/nothing')).status, 404);
  });

  test('has a bot, which nobody can be mistaken for', async () => {
    const response = await forge.anonymous.get('/users/robot%5Bbot%5D');
    assert.equal(response.status, 200, response.text);
    const { login, type, html_url: page, url } = response.body;
    assert.deepEqual([login, type], ['robot[bot]', 'Bot']);
    assert.equal(page, 'http://forge.test/apps/robot');
    assert.equal(url, 'http://forge.test/api/v3/users/robot%5Bbot%5D');
    const admin = await forge.user('boss', { siteAdmin: true });
    assert.equal((await admin.post('/admin/users', { login: 'x[bot]' })).status, 422);
  });

  test('finds its installations by account and by repository, and none of another App', async () => {
    const installation = await robot.install('own', ['one', 'HIDDEN']);
    const paths = [
      `/app/installations/${installation.id}`,
      '/users/own/installation',
      '/repos/own/one/installation',
      '/repos/Own/Hidden/installation',
    ];
    for (const path of paths) {
      const response = await robot.client.get(path);
      assert.equal(response.status, 200, `${path} ${response.text}`);
      assert.equal(response.body.id, installation.id);
      assert.equal(response.body.repository_selection, 'selected');
      assert.equal((await other.client.get(path)).status, 404, path);
    }
    for (const path of [
      '/repos/own/two/installation',
      '/repos/own/none/installation',
      '/users/acme/installation',
      '/orgs/acme/installation',
      '/orgs/own/installation',
      '/app/installations/999999',
    ]) {
      assert.equal((await robot.client.get(path)).status, 404, path);
    }
    const list = await robot.client.get('/app/installations');
    assert.deepEqual(
      list.body.map(({ id }: { id: number }) => id),
      [installation.id],
    );
  });

  test('is listed to the owners of the accounts on which it is installed, and to no one else', async () => {
    const installation = await robot.install('acme');
    const listed = await owner.get('/user/installations');
    assert.ok(listed.body.installations.some(({ id }: { id: number }) => id === installation.id));
    const stranger = await forge.user();
    const none = await stranger.get('/user/installations');
    assert.deepEqual(none.body, { total_count: 0, installations: [] });
    await robot.client.delete(`/app/installations/${installation.id}`);
  });

  test('gets tokens for less than it was granted, and never for more', async () => {
    const installation = await robot.install('own', ['one', 'hidden']);
    const post = (body: unknown) => robot.client.post(tokensPath(installation.id), body);
    const whole = await post({});
    assert.equal(whole.status, 201, whole.text);
    assert.match(whole.body.token, /^ghs_/);
    const hour = new Date(forge.clock.now() + 3_600_000).toISOString().slice(0, 19);
    assert.equal(whole.body.expires_at, `${hour}Z`);
    assert.equal(whole.body.repository_selection, 'selected');
    const narrow = await post({ repositories: ['one'], permissions: { contents: 'read' } });
    assert.equal(narrow.status, 201, narrow.text);
    assert.deepEqual(narrow.body.permissions, { contents: 'read', metadata: 'read' });
    assert.deepEqual(
      narrow.body.repositories.map(({ name }: { name: string }) => name),
      ['one'],
    );
    const repositories =
      'There is at least one repository that does not exist or is not accessible to the parent installation.';
    const permissions = 'The permissions requested are not granted to this installation.';
    for (const [body, message] of [
      [{ repositories: ['two'] }, repositories],
      [{ repositories: ['one', 'none'] }, repositories],
      [{ repository_ids: [999_999] }, repositories],
      [{ permissions: { issues: 'write' } }, permissions],
      [{ permissions: { administration: 'read' } }, permissions],
      [{ permissions: { contents: 'everything' } }, permissions],
    ] as const) {
      const response = await post(body);
      assert.deepEqual([response.status, response.body.message], [422, message]);
    }
    assert.equal((await other.client.post(tokensPath(installation.id))).status, 404);
    for (const body of [
      { repositories: 'one' },
      { repositories: [] },
      { repository_ids: [] },
      { repository_ids: [1e300] },
      { repository_ids: [1e19] },
      { repository_ids: [0] },
    ]) {
      assert.equal((await post(body)).status, 422, JSON.stringify(body));
    }
  });

  test('lists what a token has access to', async () => {
    const installation = await robot.install('own', ['one', 'hidden']);
    const names = async (narrowed: Record<string, unknown>): Promise<string[]> => {
      const client = await robot.token(installation, narrowed);
      const { body, text } = await client.get('/installation/repositories');
      assert.equal(body?.total_count, body?.repositories.length, text);
      return body.repositories.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(await names({}), ['one', 'hidden']);
    assert.deepEqual(await names({ repositories: ['hidden'] }), ['hidden']);
    assert.equal((await forge.anonymous.get('/installation/repositories')).status, 401);
    const refused = await owner.get('/installation/repositories');
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /installation access token/);
  });

  test('tokens end after an hour, when they are revoked, and with the installation', async () => {
    const installation = await robot.install('own');
    const [revoked, expired, last] = [
      await robot.token(installation),
      await robot.token(installation),
      await robot.token(installation),
    ];
    const status = async (client: TestUser | typeof last): Promise<number> =>
      (await client.get('/repos/own/hidden')).status;
    assert.equal(await status(revoked), 200);
    assert.equal((await revoked.delete('/installation/token')).status, 204);
    assert.equal(await status(revoked), 401);
    assert.equal(await status(last), 200);
    assert.equal((await robot.client.delete(`/app/installations/${installation.id}`)).status, 204);
    assert.equal(await status(last), 401);
    assert.equal((await robot.client.delete(`/app/installations/${installation.id}`)).status, 404);
    const again = await robot.install('own');
    const fresh = await robot.token(again);
    assert.equal(await status(last), 401, 'a token of the installation that ended');
    forge.clock.advance(3_600_000);
    assert.equal(await status(fresh), 401);
    assert.equal(await status(expired), 401);
  });

  test('its webhook is configured by itself, and the secret is not shown', async () => {
    assert.deepEqual((await robot.client.get('/app/hook/config')).body, {
      content_type: 'json',
      insecure_ssl: '0',
      secret: '********',
    });
    for (const body of [
      { url: 'ftp://app.test/' },
      { url: 'https://app.\ntest/' },
      { content_type: 'xml' },
    ]) {
      assert.equal((await robot.client.patch('/app/hook/config', body)).status, 422);
    }
    const secret = await robot.client.patch('/app/hook/config', { secret: 'before the URL' });
    assert.equal(secret.status, 200, 'an App needs no URL');
    const changed = await robot.client.patch('/app/hook/config', {
      url: 'https://app.test/hook',
      secret: 'not to be seen',
      insecure_ssl: '1',
    });
    const shown = {
      content_type: 'json',
      insecure_ssl: '1',
      url: 'https://app.test/hook',
      secret: '********',
    };
    assert.deepEqual(changed.body, shown);
    assert.deepEqual((await robot.client.get('/app/hook/config')).body, shown);
  });

  test('an account owns at most a hundred', async () => {
    const rich = await forge.user();
    await writeAccounts(forge.database, async (sql) => {
      for (let serial = 0; serial < 100; serial += 1) {
        const slug = `many-${serial}`;
        const now = forge.clock.now();
        const bot = await insertAccount(sql, { kind: 'user', login: `${slug}[bot]`, now });
        await insertApp(sql, {
          ...robot.app,
          slug,
          clientId: slug,
          clientSecretSha256: slug,
          ownerId: rich.account.id,
          botId: bot.id,
          now,
        });
      }
    });
    await assert.rejects(createTestApp(forge, rich.account.id, { name: 'One more' }));
    await createTestApp(forge, owner.account.id, { name: 'One more' });
  });

  test('a private one is installed by its owner only', async () => {
    const secret = await createTestApp(forge, owner.account.id, { name: 'Own', public: false });
    const path = '/api/v3/apps/own';
    for (const client of [forge.anonymous, await forge.user(), other.client]) {
      assert.equal((await client.get(path)).status, 404, 'a private App is hidden');
    }
    for (const client of [owner, secret.client, await secret.token(await secret.install('own'))]) {
      assert.equal((await client.get(path)).status, 200);
    }
    assert.equal((await forge.anonymous.get('/apps/own')).status, 404);
    await forge.user('guest');
    await secret.install('own');
    await assert.rejects(secret.install('guest'));
  });
});
