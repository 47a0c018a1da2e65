import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';

import { findAccount } from '../../accounts/account-store.ts';
import type { AppPermissionName, RequiredPermission } from '../../model/app.ts';
import { createForgeServer } from '../../forge.ts';
import type { Scope } from '../../model/scopes.ts';
import {
  authorizeRepository,
  issuePermissionIn,
  mayPush,
  permissionIn,
} from '../../repositories/repository-access.ts';
import type { Endpoint } from '../../routing/endpoint.ts';
import { endpoints } from '../../routes.ts';
import { pathIn, furnish, type FurnishedRepository } from '../../testing/furnished-repository.ts';
import { createTestApp, type TestApp } from '../../testing/test-app.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestUser,
} from '../../testing/test-forge.ts';
import { findInstallationGrant } from './installation-store.ts';
import { readInstallationToken } from './installation-token.ts';
import { requiredPermissions } from './required-permissions.ts';

/** No parser takes it, and it is read only after access is decided: a caller who has access changes nothing. */
const unreadable = '{';
const denied = 'Resource not accessible by integration';
const all: readonly AppPermissionName[] = [
  'administration',
  'checks',
  'contents',
  'issues',
  'pull_requests',
  'repository_hooks',
  'statuses',
];

describe('an installation token', () => {
  let forge: TestForge;
  let owner: TestUser;
  let robot: TestApp;
  let open: FurnishedRepository;
  let hidden: FurnishedRepository;
  let outside: FurnishedRepository;
  let outsideHidden: FurnishedRepository;
  /** Who has one permission, by its name and level. */
  const clients = new Map<string, TestClient>();

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    open = await furnish(forge, owner, { name: 'open' });
    hidden = await furnish(forge, owner, { name: 'hidden', private: true });
    outside = await furnish(forge, owner, { name: 'outside' });
    outsideHidden = await furnish(forge, owner, { name: 'outside-hidden', private: true });
    robot = await createTestApp(forge, owner.account.id, {
      permissions: Object.fromEntries(all.map((name) => [name, 'write'])),
    });
    const installation = await robot.install('acme', ['open', 'hidden']);
    const token = async (permissions: Record<string, string>): Promise<TestClient> =>
      robot.token(installation, { permissions });
    clients.set('none', await token({ metadata: 'read' }));
    for (const name of all) {
      clients.set(`${name} read`, await token({ [name]: 'read' }));
      clients.set(`${name} write`, await token({ [name]: 'write' }));
    }
  });
  after(() => forge.close());

  const who = (name: string): TestClient => clients.get(name) ?? assert.fail(name);

  async function ask(
    client: TestClient,
    { declaration }: Endpoint,
    repository: FurnishedRepository,
  ): Promise<{ status: number; message: string | undefined }> {
    const { method } = declaration;
    const response = await client.send(
      method,
      pathIn(repository, declaration),
      method === 'GET' ? {} : { body: unreadable },
    );
    return { status: response.status, message: response.body?.message };
  }

  const inRepositories = endpoints.filter(({ access }) => access.kind === 'repository');

  test('every operation that has a required permission exists', () => {
    const operations = new Set(inRepositories.map(({ declaration }) => declaration.operation));
    const gone = [...requiredPermissions.keys()].filter((name) => !operations.has(name));
    assert.deepEqual(gone, []);
  });

  test('is accepted with a required permission, and with no other', async () => {
    const wrong: string[] = [];
    for (const endpoint of inRepositories) {
      const { operation, method, path } = endpoint.declaration;
      const required = requiredPermissions.get(operation) ?? [];
      for (const name of clients.keys()) {
        const [permission, level] = name.split(' ');
        const needed = neededFor(operation, path, required);
        const metadata = required.some(([one]) => one === 'metadata');
        const expected =
          metadata ||
          needed.some(
            ([one, least]) => one === permission && (level === 'write' || least === 'read'),
          );
        const { status, message } = await ask(who(name), endpoint, hidden);
        const refused = status === 403 && message === denied;
        if (refused === expected)
          wrong.push(`${method} ${path} with ${name}: ${status} ${message}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('with every permission reads and changes nothing outside of its repositories', async () => {
    const every = await robot.token(await robot.install('acme', ['open', 'hidden']));
    for (const endpoint of inRepositories) {
      const { method, path } = endpoint.declaration;
      const name = `${method} ${path}`;
      assert.equal((await ask(every, endpoint, outsideHidden)).status, 404, name);
      const { status } = await ask(every, endpoint, outside);
      if (method !== 'GET') assert.equal(status, 403, name);
    }
  });

  test('reads public repositories without a permission, as everybody does', async () => {
    for (const { fullName } of [open, outside]) {
      assert.equal((await who('none').get(`/repos/${fullName}/pulls`)).status, 200);
      assert.equal((await who('none').get(`/repos/${fullName}/hooks`)).status, 403);
    }
  });

  test('is refused where only users are served', async () => {
    for (const { access, declaration } of endpoints) {
      if (access.kind !== 'user' && access.kind !== 'site-admin') continue;
      if (access.kind === 'user' && access.installations) continue;
      const { method } = declaration;
      const path = pathIn(open, declaration);
      const response = await who('contents write').send(
        method,
        path,
        method === 'GET' ? {} : { body: unreadable },
      );
      assert.deepEqual(
        [response.status, response.body.message],
        [403, denied],
        `${method} ${path}`,
      );
    }
  });

  test('acts as the bot of its App', async () => {
    const at = `/repos/${hidden.fullName}`;
    const client = who('issues write');
    const issue = await client.post(`${at}/issues`, { title: 'Found', labels: ['bug'] });
    assert.equal(issue.status, 201, issue.text);
    assert.equal(issue.body.user.login, 'robot[bot]');
    assert.equal(issue.body.user.type, 'Bot');
    const comment = await client.post(`${at}/issues/${issue.body.number}/comments`, { body: 'A' });
    assert.equal(comment.status, 201, comment.text);
    assert.equal(comment.body.user.login, 'robot[bot]');
    const sha = hidden.parameter('', 'sha');
    const status = await who('statuses write').post(`${at}/statuses/${sha}`, { state: 'success' });
    assert.equal(status.status, 201, status.text);
    assert.equal(status.body.creator.login, 'robot[bot]');
    const file = await who('contents write').put(`${at}/contents/bot.txt`, {
      message: 'By the bot',
      content: Buffer.from('x').toString('base64'),
    });
    assert.equal(file.status, 201, file.text);
    assert.equal(file.body.commit.author.name, 'robot[bot]');
  });

  test('loses what the account grants no more, also with tokens from before', async () => {
    const installation = await robot.install('acme', ['open', 'hidden']);
    const early = await robot.token(installation);
    const paths = [open, hidden].map(({ fullName }) => `/repos/${fullName}/hooks`);
    const statuses = async (): Promise<number[]> => [
      (await early.get(paths[0] ?? '')).status,
      (await early.get(paths[1] ?? '')).status,
    ];
    assert.deepEqual(await statuses(), [200, 200]);
    await robot.install('acme', ['open']);
    assert.deepEqual(await statuses(), [200, 404]);
    await robot.install('acme', ['open', 'hidden']);
  });

  test('is not answered from the cache after it was revoked', async () => {
    const client = await robot.token(await robot.install('acme', ['open', 'hidden']));
    const path = `/repos/${hidden.fullName}/pulls`;
    assert.equal((await client.get(path)).status, 200);
    assert.equal((await client.get(path)).status, 200);
    await client.delete('/installation/token');
    assert.equal((await client.get(path)).status, 401);
  });

  test('decides again with the installation as it is when a verb asks in its transaction', async () => {
    const permissions = { contents: 'write' };
    const app = await createTestApp(forge, owner.account.id, { name: 'Brief', permissions });
    const installation = await app.install('acme');
    const { token } = await app.token(installation);
    const content = readInstallationToken(forge.ports, token) ?? assert.fail();
    const found = await forge.database.read((sql) => findInstallationGrant(sql, content));
    assert.ok(found);
    const caller = { kind: 'user', scopes: new Set<Scope>(), ...found } as const;
    const decide = (): Promise<unknown> =>
      forge.database.read((sql) => authorizeRepository(sql, caller, { id: hidden.id }, mayPush));
    await decide();
    await app.install('acme', ['open']);
    await assert.rejects(decide(), { message: 'not-found' });
    await app.client.delete(`/app/installations/${installation.id}`);
    await assert.rejects(decide(), { message: 'bad-credentials' });
  });

  test('reads its installation once for a request that changes nothing', async () => {
    let reads = 0;
    const counting: Database['read'] = (work) =>
      forge.database.read((sql) => {
        const get: typeof sql.get = (statement, ...values) => {
          if (statement.includes('from app_installations i join apps')) reads += 1;
          return sql.get(statement, ...values);
        };
        return work({ ...sql, get });
      });
    const database = { ...forge.database, read: counting, readOne: counting };
    const server = await createForgeServer(
      { ...forge.ports, database },
      { responseCacheBytesMax: 0 },
    );
    const { token } = await robot.token(await robot.install('acme', ['open', 'hidden']));
    const response = await server.inject({
      url: `/repos/${hidden.fullName}/pulls`,
      headers: { authorization: `token ${token}`, 'user-agent': 'test' },
    });
    await server.close();
    assert.deepEqual([response.statusCode, reads], [200, 1]);
  });

  test('has lost a repository that was transferred away, also when it comes back', async () => {
    await owner.post('/orgs/acme/repos', { name: 'wanderer', private: true });
    const permissions = { contents: 'write' };
    const app = await createTestApp(forge, owner.account.id, { name: 'Wanderer', permissions });
    const token = await app.token(await app.install('acme', ['wanderer']));
    const { body } = await token.get('/repos/acme/wanderer');
    assert.equal(body.permissions.push, true);
    const move = (from: string, to: string): Promise<{ status: number }> =>
      owner.post(`/repos/${from}/wanderer/transfer`, { new_owner: to });
    assert.equal((await move('acme', 'own')).status, 202);
    assert.equal((await move('own', 'acme')).status, 202);
    assert.equal((await token.get('/repos/acme/wanderer')).status, 404);
  });

  test('has push access by its permission for contents only', async () => {
    const path = `/repos/${hidden.fullName}`;
    for (const name of ['issues write', 'pull_requests write', 'contents read']) {
      assert.equal((await who(name).get(path)).body.permissions.push, false, name);
    }
  });

  test('pushes to second repositories by its permission for contents only', async () => {
    const permissions = { contents: 'read', issues: 'write', pull_requests: 'write' };
    const app = await createTestApp(forge, owner.account.id, { name: 'Triager', permissions });
    const { token } = await app.token(await app.install('acme', ['open', 'hidden']));
    const content = readInstallationToken(forge.ports, token) ?? assert.fail();
    await forge.database.read(async (sql) => {
      const found = (await findInstallationGrant(sql, content)) ?? assert.fail();
      const caller = { kind: 'user', scopes: new Set<Scope>(), ...found } as const;
      assert.equal(await permissionIn(sql, caller, hidden.id, true), 'read');
      assert.equal(await issuePermissionIn(sql, caller, hidden.id), 'write');
      assert.equal(await issuePermissionIn(sql, caller, outsideHidden.id), 'none');
    });
  });

  test('opens no pages, which show more than one permission opens', async () => {
    const reader = who('contents read');
    for (const path of ['', '/pull/1', '/commits/main', '/pulls']) {
      const response = await reader.get(`/${hidden.fullName}${path}`);
      assert.equal(response.status, 403, path);
    }
  });

  test('reads the files that the API links to by its permission for contents', async () => {
    const path = `/repos/${hidden.fullName}/contents/`;
    const [file] = (await who('contents read').get(path)).body;
    const { pathname } = new URL(file.download_url);
    assert.equal((await who('contents read').get(pathname)).status, 200);
    assert.equal((await who('issues write').get(pathname)).status, 403);
  });

  test('reads no private events, which show issues, pulls and pushes', async () => {
    for (const name of ['none', 'issues read', 'administration write']) {
      assert.equal((await who(name).get(`/repos/${hidden.fullName}/events`)).status, 403, name);
    }
  });

  test('for issues opens no pulls, and one for pulls no issues', async () => {
    const at = `/repos/${hidden.fullName}/issues`;
    const [issue, pull] = [
      hidden.parameter('', 'issue_number'),
      hidden.parameter('', 'pull_number'),
    ];
    const status = async (name: string, method: string, path: string): Promise<number> =>
      (await who(name).send(method, path, method === 'GET' ? {} : { body: { body: 'x' } })).status;
    for (const [name, own, foreign] of [
      ['issues write', issue, pull],
      ['pull_requests write', pull, issue],
    ] as const) {
      assert.equal(await status(name, 'GET', `${at}/${own}`), 200, name);
      assert.equal(await status(name, 'POST', `${at}/${own}/comments`), 201, name);
      assert.equal(await status(name, 'GET', `${at}/${foreign}`), 403, name);
      assert.equal(await status(name, 'POST', `${at}/${foreign}/comments`), 403, name);
      assert.equal(await status(name, 'GET', `${at}/comments`), 403, name);
      const { body } = await who(name).get(`${at}?state=all`);
      assert.ok(body.length > 0, name);
      for (const each of body) {
        assert.equal(each.pull_request !== undefined, name === 'pull_requests write', name);
      }
    }
  });
});

describe('the installations of one App', () => {
  test('have limits of their own, and no common time zone', async () => {
    const forge = await startTestForge({ abuseLimits: true });
    try {
      const [one, other] = [await forge.user('one'), await forge.user('other')];
      await forge.repository(one, { name: 'r' });
      await forge.repository(other, { name: 'r' });
      const permissions = { issues: 'write' };
      const robot = await createTestApp(forge, one.account.id, { permissions });
      const busy = await robot.token(await robot.install('one'));
      const quiet = await robot.token(await robot.install('other'));
      let last = 0;
      for (let label = 0; label <= 80 && last !== 403; label += 1) {
        last = (await busy.post('/repos/one/r/labels', { name: `l${label}` })).status;
      }
      assert.equal(last, 403, 'more than eighty a minute');
      assert.equal((await quiet.post('/repos/other/r/labels', { name: 'l' })).status, 201);
      await quiet.get('/repos/other/r', { 'time-zone': 'Asia/Tokyo' });
      await forge.ports.background.idle();
      const bot = await forge.database.read((sql) => findAccount(sql, 'robot[bot]'));
      assert.equal(bot?.timeZone, null);
    } finally {
      await forge.close();
    }
  });
});

/** The numbers and comments of the furnished repository are of an issue; some lists show issues and pulls together. */
function neededFor(
  operation: string,
  path: string,
  required: readonly RequiredPermission[],
): readonly RequiredPermission[] {
  if (!required.some(([name]) => name === 'pull_requests') || required.length < 2) return required;
  if (/list-(?:comments|events)-for-repo$/.test(operation)) return [];
  const ofIssue = /:(?:issue_number|comment_id|event_id)\b/.test(path);
  return ofIssue ? required.filter(([name]) => name === 'issues') : required;
}
