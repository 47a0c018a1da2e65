import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { AppPermissionName } from '../../model/app.ts';
import type { Endpoint } from '../../routing/endpoint.ts';
import { endpoints } from '../../routes.ts';
import {
  addressIn,
  furnish,
  type FurnishedRepository,
} from '../../testing/furnished-repository.ts';
import { createTestApp, type TestApp } from '../../testing/test-app.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestUser,
} from '../../testing/test-forge.ts';
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
      addressIn(repository, declaration),
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

  test('is let in with a required permission, and with no other', async () => {
    const wrong: string[] = [];
    for (const endpoint of inRepositories) {
      const { operation, method, path } = endpoint.declaration;
      const required = requiredPermissions.get(operation) ?? [];
      for (const name of clients.keys()) {
        const [permission, level] = name.split(' ');
        const metadata = required.some(([needed]) => needed === 'metadata');
        const expected =
          metadata ||
          required.some(
            ([needed, least]) => needed === permission && (level === 'write' || least === 'read'),
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
      const { method } = declaration;
      const path = addressIn(open, declaration);
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
});
