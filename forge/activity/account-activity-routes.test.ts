import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { createTestApp } from '../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

interface ListedEvent {
  readonly type: string;
  readonly actor: { readonly login: string };
  readonly repo: { readonly name: string };
}

describe('the events of users, organizations and networks', () => {
  let forge: TestForge;
  let owner: TestUser;
  let mate: TestUser;
  let outsider: TestUser;
  let open: string;
  let hidden: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    mate = await forge.user('mate');
    outsider = await forge.user('outsider');
    await forge.organization(owner, 'acme');
    await owner.put('/orgs/acme/memberships/mate');
    open = (await owner.post('/orgs/acme/repos', { name: 'open' })).body.full_name;
    hidden = (await owner.post('/orgs/acme/repos', { name: 'hidden', private: true })).body
      .full_name;
    for (const name of [open, hidden]) await commitFiles(forge, name, 'main', { a: 'a' });
    for (const name of [open, hidden]) await mate.post(`/repos/${name}/issues`, { title: 'Why' });
  });
  after(() => forge.close());

  async function list(path: string, who: Pick<TestUser, 'get'> = outsider): Promise<string[]> {
    const { status, body, headers } = await who.get(path);
    assert.deepEqual([status, headers['x-poll-interval']], [200, '60'], path);
    return body.map(({ type, actor, repo }: ListedEvent) => `${actor.login} ${type} ${repo.name}`);
  }

  const openIssue = 'mate IssuesEvent acme/open';
  const hiddenIssue = 'mate IssuesEvent acme/hidden';

  test('of nobody and of a hidden network are not there', async () => {
    for (const path of ['/users/none/events', '/users/none/received_events', '/orgs/none/events']) {
      assert.equal((await owner.get(path)).status, 404, path);
    }
    assert.equal((await outsider.get(`/networks/${hidden}/events`)).status, 404);
    assert.equal((await outsider.get('/users/mate/events/orgs/acme')).status, 404);
    assert.equal((await owner.get('/users/mate/events/orgs/acme')).status, 404);
    assert.equal((await forge.anonymous.get('/users/mate/events/orgs/acme')).status, 401);
  });

  test('of private repositories are not for installations, whatever their permissions', async () => {
    const robot = await createTestApp(forge, owner.account.id, {
      permissions: { contents: 'read', metadata: 'read' },
    });
    const client = await robot.token(await robot.install('acme', ['hidden', 'open']));
    assert.equal((await client.get(`/repos/${hidden}/issues/1`)).status, 403);
    assert.deepEqual(await list(`/networks/${hidden}/events`, client), []);
    assert.ok((await list(`/networks/${open}/events`, client)).includes(openIssue));
  });

  test('that a user has caused are shown to others where they are public', async () => {
    assert.deepEqual(await list('/users/mate/events'), [openIssue]);
    assert.deepEqual(await list('/users/mate/events', forge.anonymous), [openIssue]);
    assert.deepEqual(await list('/users/mate/events', owner), [openIssue]);
    assert.deepEqual(await list('/users/mate/events', mate), [hiddenIssue, openIssue]);
    assert.deepEqual(await list('/users/mate/events/public', mate), [openIssue]);
    const narrow = await forge.withScopes(mate, ['public_repo']);
    assert.deepEqual(await list('/users/mate/events', narrow), [openIssue]);
  });

  test('of an organization are public, and all of them for its members', async () => {
    const all = await list('/orgs/acme/events', owner);
    assert.ok(all.includes(openIssue));
    assert.ok(!all.some((line) => line.endsWith('hidden')));
    const own = await list('/users/mate/events/orgs/acme', mate);
    assert.ok(own.includes(hiddenIssue) && own.includes(openIssue));
    assert.ok(!(await list('/events', owner)).some((line) => line.endsWith('hidden')));
    assert.ok((await list('/events', forge.anonymous)).includes(openIssue));
  });

  test('are received from repositories that are watched and from users who are followed', async () => {
    assert.deepEqual(await list('/users/outsider/received_events', outsider), []);
    await outsider.put('/user/following/mate');
    assert.deepEqual(await list('/users/outsider/received_events', outsider), [openIssue]);
    await outsider.put(`/repos/${open}/subscription`, { subscribed: true });
    const received = await list('/users/outsider/received_events', outsider);
    assert.ok(received.length > 1 && received.filter((line) => line === openIssue).length === 1);
    await mate.put('/user/following/owner');
    await mate.put(`/repos/${hidden}/subscription`, { subscribed: true });
    assert.ok((await list('/users/mate/received_events', mate)).includes(hiddenIssue));
    for (const path of ['/users/mate/received_events', '/users/mate/received_events/public']) {
      assert.ok(!(await list(path, owner)).some((line) => line.endsWith('hidden')), path);
    }
  });

  test('of a network are those of the repository and its forks', async () => {
    const { body: fork } = await outsider.post(`/repos/${open}/forks`);
    await commitFiles(forge, fork.full_name, 'side', { b: 'b' });
    const types = await list(`/networks/${open}/events`);
    assert.ok(types.some((line) => line.endsWith('PushEvent outsider/open')));
    assert.ok(types.includes(openIssue));
    assert.ok((await list(`/networks/${hidden}/events`, owner)).includes(hiddenIssue));
  });

  test('of public repositories are listed however much happens in private ones', async () => {
    const paths = ['/events', '/users/mate/events', '/users/outsider/received_events/public'];
    const expected = await Promise.all(paths.map((path) => list(path, forge.anonymous)));
    for (const lines of expected) assert.ok(lines.includes(openIssue));
    await forge.database.write((sql) =>
      sql.run(
        `with recursive counter (n) as (select 1 union all select n + 1 from counter where n < 3300)
         insert into activities (repository_id, type, facts, created_at, actor_id)
         select e.repository_id, e.type, e.facts, e.created_at, e.actor_id from counter, activities e
         where e.id = (select max(a.id) from activities a join repositories r on r.id = a.repository_id
                       where r.private = 1)`,
      ),
    );
    for (const [index, path] of paths.entries()) {
      assert.deepEqual(await list(path, forge.anonymous), expected[index], path);
    }
  });

  test('of a repository that became private are hidden again', async () => {
    const { body } = await owner.post('/user/repos', { name: 'later' });
    const created = `owner CreateEvent ${body.full_name}`;
    assert.ok((await list('/users/owner/events')).includes(created));
    await owner.patch('/repos/owner/later', { private: true });
    assert.ok(!(await list('/users/owner/events')).includes(created));
    assert.ok((await list('/users/owner/events', owner)).includes(created));
  });
});
