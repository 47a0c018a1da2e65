import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createApplication } from '../auth/create-application.ts';
import { findApplication, insertToken } from '../auth/credential-store.ts';
import { createForgeServer } from '../forge.ts';
import type { ServerStatus } from '../ports/ports.ts';
import { makeSshKey } from '../testing/ssh-keys.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { administrationForms, administrationRoutes } from './pages/administration-table.ts';
import type { Perform } from './kit/perform.ts';

const unused: Perform = Object.assign(() => assert.fail('not performed'), {
  countCreation: async () => {},
});

describe('the pages for site administrators', () => {
  let forge: TestForge;
  let root: TestUser;
  let ada: TestUser;
  let mate: TestUser;
  let administrator: TestBrowser;
  let user: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    root = await forge.user('root', { siteAdmin: true });
    ada = await forge.user('ada');
    mate = await forge.user('mate');
    await forge.organization(ada, 'acme');
    administrator = await signedInBrowser(forge, 'root');
    user = await signedInBrowser(forge, 'ada');
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

  test('are not there for others, nor for their tokens', async () => {
    for (const [path] of administrationRoutes) {
      const pageUrl = path.replace(':user', 'ada');
      assert.equal((await administrator.get(pageUrl)).status, 200, pageUrl);
      assert.equal((await user.get(pageUrl)).status, 404, pageUrl);
      assert.equal((await forge.anonymous.get(pageUrl)).status, 302, pageUrl);
      assert.equal((await root.get(pageUrl)).status, 302, pageUrl);
    }
    for (const [path, acts] of administrationForms(unused)) {
      for (const act of acts) {
        const pageUrl = `${path.replace(':user', 'ada')}/${act}`;
        assert.equal((await send(user, pageUrl, { login: 'x' })).status, 404, pageUrl);
        assert.equal((await administrator.post(pageUrl, { login: 'x' })).status, 403, pageUrl);
      }
    }
    assert.equal((await ada.get('/user')).body.site_admin, false);
    assert.match((await administrator.get('/ada')).text, /href="\/-\/admin"/);
    assert.doesNotMatch((await user.get('/ada')).text, /\/-\/admin/);
  });

  test('find users and organizations by their logins, wildcards taken as they are', async () => {
    const users = (await administrator.get('/-/admin/users?q=AD')).text;
    assert.match(users, /users\/ada"/);
    assert.doesNotMatch(users, /users\/root"/);
    for (const text of ['%25', '_', '%21', '%5Bbot%5D']) {
      assert.match((await administrator.get(`/-/admin/users?q=${text}`)).text, /No user is found/);
    }
    assert.match((await administrator.get('/-/admin/organizations?q=acm')).text, /\/acme"/);
    assert.doesNotMatch((await administrator.get('/-/admin/users')).text, /acme/);
  });

  test('create users and organizations', async () => {
    for (const [path, fields] of [
      ['users', { login: 'a b' }],
      ['users', { login: 'ada' }],
      ['users', { login: 'grace', email: 'nowhere' }],
      ['organizations', { login: 'tooling', admin: 'none' }],
    ] as const) {
      const refused = await send(administrator, `/-/admin/${path}/create`, fields);
      assert.equal(refused.status, 422, JSON.stringify(fields));
      assert.match(refused.text, /role="alert"/);
    }
    const made = await send(administrator, '/-/admin/users/create', { login: 'grace' });
    assert.equal(made.headers['location'], '/-/admin/users/grace');
    const fields = { login: 'tooling', admin: 'grace', profile_name: 'Tools' };
    await send(administrator, '/-/admin/organizations/create', fields);
    assert.equal((await forge.anonymous.get('/orgs/tooling')).body.name, 'Tools');
    assert.equal((await send(administrator, '/-/admin/users/none')).status, 404);
  });

  test('promote and demote; nobody demotes themselves', async () => {
    const at = '/-/admin/users/ada';
    await send(administrator, `${at}/promote`);
    assert.equal((await ada.get('/user')).body.site_admin, true);
    assert.equal((await user.get('/-/admin')).status, 200);
    assert.equal((await send(user, `${at}/demote`)).status, 422);
    await send(administrator, `${at}/demote`);
    assert.equal((await ada.get('/user')).body.site_admin, false);
    assert.equal((await user.get('/-/admin')).status, 404);
    assert.equal((await send(administrator, '/-/admin/users/none/promote')).status, 404);
    assert.equal((await send(administrator, '/-/admin/users/acme/promote')).status, 404);
  });

  test('suspend and unsuspend users, with the reason in the audit log', async () => {
    const other = await forge.user('barbara');
    const at = '/-/admin/users/barbara';
    assert.match(
      (await administrator.get(at)).text,
      /action="\/-\/admin\/users\/barbara\/suspend"/,
    );
    assert.equal((await send(user, `${at}/suspend`)).status, 404);
    const done = await send(administrator, `${at}/suspend`, { reason: 'has left' });
    assert.equal(done.headers['location'], at);
    assert.equal((await other.get('/user')).status, 403);
    const page = await administrator.get(at);
    assert.match(page.text, /Suspended <time/);
    assert.match((await administrator.get('/-/admin/users?q=barb')).text, /suspended/);
    const promoted = await send(administrator, `${at}/promote`);
    assert.equal(promoted.status, 422);
    assert.match(promoted.text, /Unsuspend it first/);
    await send(administrator, `${at}/unsuspend`);
    assert.equal((await other.get('/user')).status, 200);
    const own = await send(administrator, '/-/admin/users/root/suspend');
    assert.equal(own.status, 422);
    assert.match(own.text, /Demote the user first/);
    assert.equal((await send(administrator, '/-/admin/users/acme/suspend')).status, 404);
  });

  test('set a password, which ends the sessions of the user', async () => {
    await forge.user('hopper');
    const hers = await signedInBrowser(forge, 'hopper');
    const at = '/-/admin/users/hopper';
    assert.equal((await send(user, `${at}/set-password`, { password: 'stolen it' })).status, 404);
    const empty = await send(administrator, `${at}/set-password`, { password: '' });
    assert.equal(empty.status, 422);
    assert.equal((await hers.get('/settings/profile')).status, 200);
    const done = await send(administrator, `${at}/set-password`, { password: 'a new one' });
    assert.equal(done.headers['location'], at, done.text);
    assert.equal((await hers.get('/settings/profile')).status, 302);
    await createTestBrowser(forge).signIn('hopper', 'a new one');
  });

  test('promote nobody for an administrator who is demoted meanwhile', async (context) => {
    await send(administrator, '/-/admin/users/ada/promote');
    const { database } = forge.ports;
    const write = database.write.bind(database);
    const { text } = await user.get('/settings/profile');
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    context.mock.method(
      database,
      'write',
      async (...input: Parameters<typeof write>) => {
        await write((sql) => sql.run(`update accounts set site_admin = 0 where login = 'ada'`));
        return write(...input);
      },
      { times: 1 },
    );
    const { status } = await user.post('/-/admin/users/mate/promote', { form_token });
    assert.equal(status, 403);
    assert.equal((await mate.get('/user')).body.site_admin, false);
  });

  test('revoke tokens and keys of the user alone, and end its sessions', async () => {
    const other = await forge.user('linus');
    const row = await forge.database.read((sql) =>
      sql.get<{ id: number }>('select id from tokens where account_id = $1', other.account.id),
    );
    const id = String(row?.id);
    const foreign = await send(administrator, '/-/admin/users/ada/revoke-token', { id });
    assert.equal(foreign.status, 403);
    assert.equal((await other.get('/user')).status, 200);
    const at = '/-/admin/users/linus';
    assert.match((await administrator.get(at)).text, new RegExp(other.token.slice(-8)));
    assert.equal((await send(administrator, `${at}/revoke-token`, { id: 'x' })).status, 403);
    const key = `ssh-ed25519 ${Buffer.concat([
      Buffer.from([0, 0, 0, 11]),
      Buffer.from('ssh-ed25519'),
      Buffer.from([0, 0, 0, 32]),
      Buffer.alloc(32, 7),
    ]).toString('base64')}`;
    const added = await other.post('/user/keys', { title: 'laptop', key });
    assert.equal(added.status, 201, added.text);
    await send(administrator, `${at}/revoke-key`, { id: String(added.body.id) });
    assert.deepEqual((await other.get('/user/keys')).body, []);
    await send(administrator, `${at}/revoke-token`, { id });
    assert.equal((await other.get('/user')).status, 401);
    const browser = await signedInBrowser(forge, 'linus');
    assert.equal((await browser.get('/settings/tokens')).status, 200);
    await send(administrator, `${at}/end-sessions`);
    assert.equal((await browser.get('/settings/tokens')).status, 302);
    assert.equal((await administrator.get('/-/admin')).status, 200);
  });

  test('list every token and key, with its user, kind and use, and revoke each', async () => {
    const other = await forge.user('hedy');
    const repository = await forge.repository(other, { name: 'radio' });
    const application = await createApplication(forge.ports, { name: 'The <app>' });
    const issued = await root.post('/admin/users/hedy/authorizations', { scopes: ['repo'] });
    await forge.database.write(async (sql) => {
      const found = await findApplication(sql, application.clientId);
      await insertToken(sql, {
        accountId: other.account.id,
        sha256: 'x',
        lastEight: 'ofapplic',
        note: null,
        scopes: [],
        applicationId: found?.id ?? 0,
        expiresAt: forge.clock.now() + 86_400_000,
        now: forge.clock.now(),
      });
    });
    const key = await other.post('/user/keys', { title: 'laptop', key: makeSshKey().publicKey });
    const deploy = { title: 'robot', key: makeSshKey().publicKey, read_only: true };
    await other.post(`/repos/${repository}/keys`, deploy);
    const list = async (path: string): Promise<string[]> => {
      const { text } = await administrator.get(`/-/admin/${path}`);
      const [, rows = ''] = /<ul class="rows">([^]*?)<\/ul>/.exec(text) ?? [];
      return rows.split('</li>').map((row) => row.replaceAll(/<[^>]*>|\s+/g, ' '));
    };
    const tokens = await list('tokens?q=HED');
    assert.match(
      tokens[0] ?? '',
      /hedy +application +The &lt;app&gt; +…ofapplic +no scopes +never used +expires/,
    );
    assert.match(tokens[1] ?? '', /hedy +by an administrator .* repo +never used +does not expire/);
    assert.match(tokens[2] ?? '', new RegExp(`hedy +personal .*…${other.token.slice(-8)}.* used `));
    assert.equal(tokens.length, 4);
    assert.ok((await list('tokens')).length > 4);
    assert.deepEqual(await list('tokens?q=none'), ['']);
    const keys = await list('keys?q=hedy');
    assert.match(keys[0] ?? '', /hedy +deploy key of hedy\/radio +read-only +robot +SHA256:/);
    assert.match(keys[1] ?? '', /hedy +user +laptop +SHA256:/);
    for (const id of ['x', '', '0', '999999999999999', '1e3']) {
      assert.equal((await send(administrator, '/-/admin/tokens/revoke', { id })).status, 403);
      assert.equal((await send(administrator, '/-/admin/keys/revoke', { id })).status, 403);
    }
    const id = String(issued.body.id);
    assert.equal((await send(user, '/-/admin/tokens/revoke', { id })).status, 404);
    const headers = { authorization: `token ${issued.body.token}` };
    assert.equal((await forge.anonymous.get('/user', headers)).status, 200);
    assert.equal((await send(administrator, '/-/admin/tokens/revoke', { id })).status, 303);
    assert.equal((await forge.anonymous.get('/user', headers)).status, 401);
    await send(administrator, '/-/admin/keys/revoke', { id: String(key.body.id) });
    assert.deepEqual((await other.get('/user/keys')).body, []);
  });

  test('name webhooks that fail by the origin of their URL', async () => {
    const repository = await forge.repository(ada, { name: 'tools' });
    const config = { url: 'http://hooks.example.org/secret-path' };
    const { body } = await ada.post(`/repos/${repository}/hooks`, { config });
    assert.match((await administrator.get('/-/admin/webhooks')).text, /No webhook fails/);
    const fails = (code: number | null, status: string): Promise<number> =>
      forge.database.write((sql) =>
        sql.run(
          'update webhooks set last_code = $1, last_status = $2 where id = $3',
          code,
          status,
          body.id,
        ),
      );
    await fails(200, 'active');
    assert.match((await administrator.get('/-/admin/webhooks')).text, /No webhook fails/);
    for (const [code, status] of [
      [500, 'Internal Server Error'],
      [null, 'connection refused'],
    ] as const) {
      await fails(code, status);
      const { text } = await administrator.get('/-/admin/webhooks');
      assert.match(text, new RegExp(`ada/tools, webhook ${body.id}[^]*${status}`));
      assert.match(text, /hooks\.example\.org/);
      assert.doesNotMatch(text, /secret-path/);
    }
  });

  test('name the repositories that take the most space', async () => {
    const [small, large] = [
      await forge.repository(ada, { name: 'small' }),
      await forge.repository(ada, { name: 'large' }),
    ];
    await forge.database.write(async (sql) => {
      await sql.run(`update repositories set size_kib = 3000 where name = 'small'`);
      await sql.run(`update repositories set size_kib = 2000 where name = 'large'`);
      await sql.run(
        `insert into releases (repository_id, author_id, tag_name, target_commitish, draft, prerelease, created_at, updated_at)
         select id, owner_id, 'v1', 'main', 0, 0, 0, 0 from repositories where name = 'large'`,
      );
      for (const file of ['one', 'two']) {
        await sql.run(
          `insert into release_assets
             (release_id, repository_id, uploader_id, name, content_type, size, sha256, file, created_at, updated_at)
           select l.id, l.repository_id, l.author_id, $1, 'text/plain', 1000000, '', $2, 0, 0 from releases l`,
          file,
          file,
        );
      }
    });
    const { text } = await administrator.get('/-/admin/storage');
    assert.match(
      text,
      new RegExp(`${large}<[^]*assets 2\\.0 MB[^]*4\\.0 MB[^]*${small}<[^]*3\\.1 MB`),
    );
  });

  test('show what the program says of itself', async () => {
    const serverStatus: ServerStatus = {
      queues: async () => [{ queue: 'invocations', items: 3, retrying: 1, oldestAt: undefined }],
      retryQueue: async () => undefined,
      host: async () => ['Isolation: full', '  memory <enforced>'],
      settings: [{ name: 'HOB_REDIS_URL', value: '***', source: 'variable' }],
      storage: async () => [
        { title: 'Logs of functions', items: [{ name: '/aws/<lambda>', bytes: 2_500_000 }] },
      ],
      tasks: () => [
        { name: 'packing repositories', last: { endedAt: forge.clock.now(), failed: true } },
        { name: 'removing old rows', last: undefined },
      ],
    };
    assert.match((await administrator.get('/-/admin/server')).text, /without the rest of Hob/);
    const server = await createForgeServer({ ...forge.ports, serverStatus: serverStatus });
    try {
      const cookie = [...administrator.cookies].map(([name, value]) => `${name}=${value}`);
      const get = async (url: string): Promise<string> => {
        const headers = { cookie: cookie.join('; '), host: 'forge.test' };
        return (await server.inject({ url, headers })).body;
      };
      assert.match(await get('/-/admin'), /invocations[^]*3[^]*1/);
      const text = await get('/-/admin/server');
      assert.match(
        await get('/-/admin/storage'),
        /Logs of functions[^]*\/aws\/&lt;lambda&gt;[^]*2\.5 MB/,
      );
      assert.match(text, /memory &lt;enforced&gt;/);
      assert.match(text, /HOB_REDIS_URL[^]*\*\*\*[^]*variable/);
      assert.match(text, /packing repositories[^]*failed/);
      assert.match(text, /has not run since the start/);
    } finally {
      await server.close();
    }
  });
});
