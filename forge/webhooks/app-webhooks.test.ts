import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import type { Installation } from '../model/app.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { type Receiver, startReceiver } from '../testing/receiver-fixture.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';

describe('the webhook of a GitHub App', () => {
  let forge: TestForge;
  let owner: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;
  let apps = 0;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('own');
    receiver = await startReceiver();
    deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  const everything = ['issues', 'push', 'repository', 'issue_comment', 'label'];

  /** An App whose first ping was received. */
  async function hookedApp(options: TestAppOptions = {}): Promise<TestApp> {
    apps += 1;
    const app = await createTestApp(forge, owner.account.id, {
      name: `Robot ${apps}`,
      permissions: { issues: 'write', contents: 'read' },
      events: everything,
      hookUrl: receiver.url,
      ...options,
    });
    await sent();
    return app;
  }

  /** Uninstalls the App at the end, so that it gets no events of other tests. */
  async function installed(app: TestApp, names?: readonly string[]): Promise<Installation> {
    const installation = await app.install('own', names);
    await sent();
    return installation;
  }

  async function sent(): Promise<ReturnType<Receiver['take']>> {
    await deliverer.deliverDue();
    return receiver.take();
  }

  async function events(): Promise<string[]> {
    const all = await sent();
    return all.map(({ headers, body }) =>
      [headers['x-github-event'], body.action ?? []].flat().join(' '),
    );
  }

  async function remove(app: TestApp, { id }: Installation): Promise<void> {
    assert.equal((await app.client.delete(`/app/installations/${id}`)).status, 204);
    await sent();
  }

  test('gets the events of its installations, signed with its secret, and names the installation', async () => {
    const name = await forge.repository(owner, { private: true });
    const app = await hookedApp();
    const installation = await installed(app);
    await owner.post(`/repos/${name}/issues`, { title: 'One' });
    const [issue, ...others] = await sent();
    assert.deepEqual(others, []);
    assert.ok(issue);
    const { headers, body, text } = issue;
    assert.equal(headers['x-github-event'], 'issues');
    assert.equal(headers['x-github-hook-installation-target-type'], 'integration');
    assert.equal(headers['x-github-hook-installation-target-id'], String(app.app.id));
    assert.equal(headers['x-github-hook-id'], String(app.app.hook.id));
    const secret = app.app.hook.secret ?? '';
    assert.equal(
      headers['x-hub-signature-256'],
      `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
    );
    assert.deepEqual(body.installation, {
      id: installation.id,
      node_id: Buffer.from(`023:IntegrationInstallation${installation.id}`).toString('base64'),
    });
    assert.equal(body.repository.full_name, name);
    await remove(app, installation);
  });

  test('webhooks of repositories name no installation', async () => {
    const name = await forge.repository(owner);
    const app = await hookedApp();
    const installation = await installed(app, [name.slice('own/'.length)]);
    const config = { url: `${receiver.url}repository`, content_type: 'json' };
    const hook = await owner.post(`/repos/${name}/hooks`, { config, events: ['issues'] });
    await sent();
    await owner.post(`/repos/${name}/issues`, { title: 'One' });
    const both = await sent();
    assert.deepEqual(
      both
        .map(({ headers, body }) => [
          headers['x-github-hook-installation-target-type'],
          body.installation?.id,
        ])
        .toSorted(),
      [
        ['integration', installation.id],
        ['repository', undefined],
      ],
    );
    const listed = await owner.get(`/repos/${name}/hooks/${hook.body.id}/deliveries`);
    assert.equal(listed.body[0].installation_id, null);
    await remove(app, installation);
  });

  test('gets nothing of repositories that its installation does not cover', async () => {
    const covered = await forge.repository(owner);
    const other = await forge.repository(owner);
    const app = await hookedApp();
    const installation = await installed(app, [covered.slice('own/'.length)]);
    await owner.post(`/repos/${other}/issues`, { title: 'Elsewhere' });
    assert.deepEqual(await events(), []);
    await owner.post(`/repos/${covered}/issues`, { title: 'Here' });
    assert.deepEqual(await events(), ['issues opened']);
    await remove(app, installation);
    await owner.post(`/repos/${covered}/issues`, { title: 'Later' });
    assert.deepEqual(await events(), [], 'an App that was uninstalled gets nothing');
  });

  test('needs the subscription and the permission for each event', async () => {
    const name = await forge.repository(owner);
    const reader = await hookedApp({ permissions: { contents: 'read' } });
    const unsubscribed = await hookedApp({ permissions: { issues: 'read' }, events: ['push'] });
    const one = await installed(reader);
    const other = await installed(unsubscribed);
    await owner.post(`/repos/${name}/issues`, { title: 'One' });
    assert.deepEqual(await events(), []);
    await commitFiles(forge, name, 'main', { file: 'text' });
    const pushes = await sent();
    assert.deepEqual(
      pushes.map(({ body }) => body.installation.id),
      [one.id],
    );
    await remove(reader, one);
    await remove(unsubscribed, other);
  });

  test('comments on pulls need the permission for pulls, others that for issues', async () => {
    const name = await forge.repository(owner);
    const app = await hookedApp({ permissions: { pull_requests: 'read' } });
    const installation = await installed(app);
    const { body: issue } = await owner.post(`/repos/${name}/issues`, { title: 'One' });
    await owner.post(`/repos/${name}/issues/${issue.number}/comments`, { body: 'Private' });
    assert.deepEqual(await events(), []);
    const sha = await commitFiles(forge, name, 'main', { file: 'one' });
    await commitFiles(forge, name, 'topic', { file: 'two' }, { parents: [sha] });
    const pull = await owner.post(`/repos/${name}/pulls`, {
      title: 'Two',
      head: 'topic',
      base: 'main',
    });
    assert.equal(pull.status, 201, pull.text);
    await owner.post(`/repos/${name}/issues/${pull.body.number}/comments`, { body: 'On a pull' });
    assert.deepEqual(await events(), ['issue_comment created']);
    await remove(app, installation);
  });

  test('is pinged when the App is created', async () => {
    apps += 1;
    const app = await createTestApp(forge, owner.account.id, {
      name: `Robot ${apps}`,
      hookUrl: receiver.url,
    });
    const [ping, ...others] = await sent();
    assert.deepEqual(others, []);
    assert.equal(ping?.body.hook.type, 'App');
    assert.equal(ping?.body.hook.app_id, app.app.id);
    assert.equal(ping?.body.hook_id, app.app.hook.id);
    assert.equal(ping?.headers['x-github-hook-installation-target-type'], 'integration');
  });

  test('gets events of its installations without subscribing', async () => {
    const first = (await forge.repository(owner)).slice('own/'.length);
    const second = (await forge.repository(owner)).slice('own/'.length);
    const app = await hookedApp({ events: [] });
    const { id } = await app.install('own', [first]);
    const [created] = await sent();
    assert.equal(created?.body.action, 'created');
    assert.equal(created?.body.installation.id, id);
    assert.deepEqual(
      created?.body.repositories.map((each: { name: string }) => each.name),
      [first],
    );
    await app.install('own', [second]);
    // Deliveries are in no fixed order.
    const changed = (await sent()).toSorted((one, other) =>
      String(one.body.action).localeCompare(String(other.body.action)),
    );
    assert.deepEqual(
      changed.map(({ body }) => [
        body.action,
        body.repositories_added.map((each: { name: string }) => each.name),
        body.repositories_removed.map((each: { name: string }) => each.name),
      ]),
      [
        ['added', [second], []],
        ['removed', [], [first]],
      ],
    );
    await app.client.delete(`/app/installations/${id}`);
    const [deleted] = await sent();
    assert.equal(deleted?.body.action, 'deleted');
    assert.equal(deleted?.body.installation.id, id, 'although it is gone');
  });

  test('gets nothing while its installation is suspended, whose tokens are refused', async () => {
    const name = await forge.repository(owner, { private: true });
    const app = await hookedApp();
    const installation = await installed(app);
    const path = `/app/installations/${installation.id}`;
    const bot = await app.token(installation);
    assert.equal((await bot.get(`/repos/${name}/issues`)).status, 200);
    assert.equal((await app.client.put(`${path}/suspended`)).status, 204);
    assert.deepEqual(await events(), ['installation suspend']);
    assert.ok((await app.client.get(path)).body.suspended_at);
    assert.equal((await bot.get(`/repos/${name}/issues`)).status, 401);
    const refused = await app.client.post(`${path}/access_tokens`);
    assert.deepEqual(
      [refused.status, refused.body.message],
      [403, 'This installation has been suspended'],
    );
    await owner.post(`/repos/${name}/issues`, { title: 'Unseen' });
    assert.deepEqual(await events(), []);
    assert.equal((await app.client.delete(`${path}/suspended`)).status, 204);
    assert.deepEqual(await events(), ['installation unsuspend']);
    assert.equal((await bot.get(`/repos/${name}/issues`)).status, 200);
    await owner.post(`/repos/${name}/issues`, { title: 'Seen' });
    assert.deepEqual(await events(), ['issues opened']);
    await remove(app, installation);
  });

  test('an event that was not sent before the App was uninstalled is dropped', async () => {
    const name = await forge.repository(owner);
    const app = await hookedApp();
    const { id } = await installed(app);
    await owner.post(`/repos/${name}/issues`, { title: 'One' });
    await app.client.delete(`/app/installations/${id}`);
    assert.deepEqual(await events(), ['installation deleted']);
  });

  test('an event of a repository that the installation has lost since is dropped', async () => {
    const [one, two] = [await forge.repository(owner), await forge.repository(owner)];
    const names = [one, two].map((name) => name.slice('own/'.length));
    const app = await hookedApp();
    const installation = await installed(app, names);
    await owner.post(`/repos/${two}/issues`, { title: 'Private since' });
    await app.install('own', names.slice(0, 1));
    assert.deepEqual(await events(), ['installation_repositories removed']);
    await remove(app, installation);
  });

  test('a delivery that failed is neither repeated nor shown when the App has lost the repository', async () => {
    const name = await forge.repository(owner, { private: true });
    const app = await hookedApp();
    const { id } = await installed(app);
    receiver.response = { status: 500 };
    await owner.post(`/repos/${name}/issues`, { title: 'One' });
    assert.deepEqual(await events(), ['issues opened']);
    receiver.response = { status: 200 };
    const [failed] = (await app.client.get('/app/hook/deliveries')).body;
    assert.deepEqual([failed.event, failed.status_code], ['issues', 500]);
    await app.client.delete(`/app/installations/${id}`);
    const path = `/app/hook/deliveries/${failed.id}`;
    assert.equal((await app.client.get(path)).status, 404);
    assert.equal((await app.client.post(`${path}/attempts`)).status, 404);
    forge.clock.advance(60 * 60_000);
    assert.deepEqual(await events(), ['installation deleted']);
  });

  test('a deleted repository is removed also when the delivery of its event is dropped', async () => {
    const name = await forge.repository(owner);
    const id = await repositoryId(forge, name);
    const app = await hookedApp();
    const installation = await installed(app);
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    await forge.ports.background.idle();
    const find = (): Promise<object | undefined> =>
      forge.database.read((sql) =>
        sql.get('select 1 as found from repositories where id = $1', id),
      );
    assert.ok(await find(), 'it waits for the delivery');
    await app.client.delete(`/app/installations/${installation.id}`);
    assert.deepEqual(await events(), ['installation deleted']);
    assert.equal(await find(), undefined);
  });

  test('its deliveries are listed, shown and sent again for the App alone', async () => {
    const name = await forge.repository(owner);
    const app = await hookedApp();
    const other = await hookedApp();
    const installation = await installed(app);
    await owner.post(`/repos/${name}/issues`, { title: 'One' });
    const [first] = await sent();
    const list = await app.client.get('/app/hook/deliveries?per_page=1');
    const [delivery] = list.body;
    assert.deepEqual(
      [delivery.event, delivery.action, delivery.installation_id, delivery.status_code],
      ['issues', 'opened', installation.id, 200],
    );
    assert.equal(delivery.repository_id, first?.body.repository.id);
    assert.match(list.headers['link'] ?? '', /rel="next"/);
    const path = `/app/hook/deliveries/${delivery.id}`;
    assert.equal((await other.client.get(path)).status, 404);
    assert.equal((await other.client.post(`${path}/attempts`)).status, 404);
    assert.equal((await owner.get(path)).status, 401);
    const shown = await app.client.get(path);
    assert.deepEqual(shown.body.request.payload, first?.body);
    assert.equal((await app.client.post(`${path}/attempts`)).status, 202);
    const [again] = await sent();
    assert.equal(again?.text, first?.text);
    assert.equal(again?.headers['x-github-delivery'], first?.headers['x-github-delivery']);
    await remove(app, installation);
  });

  test('the event of a deleted repository is delivered before its row is gone', async () => {
    const name = await forge.repository(owner);
    const app = await hookedApp();
    const installation = await installed(app);
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    await forge.ports.background.idle();
    const [deleted] = await sent();
    assert.equal(deleted?.body.action, 'deleted');
    assert.equal(deleted?.body.repository.full_name, name);
    assert.equal(deleted?.body.installation.id, installation.id);
    await remove(app, installation);
  });

  test('an App without a URL gets nothing', async () => {
    const name = await forge.repository(owner);
    apps += 1;
    const app = await createTestApp(forge, owner.account.id, {
      name: `Robot ${apps}`,
      permissions: { issues: 'read' },
      events: ['issues'],
    });
    const installation = await app.install('own');
    await owner.post(`/repos/${name}/issues`, { title: 'One' });
    assert.deepEqual(await events(), []);
    assert.deepEqual((await app.client.get('/app/hook/deliveries')).body, []);
    await app.client.delete(`/app/installations/${installation.id}`);
  });
});
