import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';

import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { describedEvents } from '../testing/webhook-openapi.ts';
import { listDeliveries } from './delivery-store.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';
import { isPrivateAddress } from '../http/private-target.ts';
import { type Received, type Receiver, startReceiver } from '../testing/receiver-fixture.ts';

describe('webhooks', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('hooker');
    outsider = await forge.user('stranger');
    receiver = await startReceiver();
    deliverer = newDeliverer(forge);
  });
  afterEach(async () => {
    receiver.response = { status: 200 };
    await deliverer.deliverDue();
    receiver.take();
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  function newDeliverer(of: TestForge): Deliverer {
    return createDeliverer(of.ports, (error) => {
      throw error;
    });
  }

  /** A repository's webhook, its first ping delivered. */
  async function hook(
    name: string,
    events: readonly string[],
    config: Record<string, unknown> = {},
  ): Promise<string> {
    const response = await owner.post(`/repos/${name}/hooks`, {
      name: 'web',
      events,
      config: { url: receiver.url, content_type: 'json', ...config },
    });
    assert.equal(response.status, 201, response.text);
    await deliverer.deliverDue();
    receiver.take();
    return `/repos/${name}/hooks/${response.body.id}`;
  }

  async function delivered(): Promise<ReturnType<Receiver['take']>> {
    await deliverer.deliverDue();
    return receiver.take();
  }

  function byEvent(all: readonly Received[]): Received[] {
    const key = ({ headers }: Received): string => String(headers['x-github-event']);
    return all.toSorted((one, other) => key(one).localeCompare(key(other)));
  }

  test('only administrators with a scope for it see webhooks', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push']);
    const noScope = await forge.withScopes(owner, []);
    const reader = await forge.withScopes(owner, ['read:repo_hook']);
    for (const client of [forge.anonymous, outsider, noScope]) {
      assert.equal((await client.get(`/repos/${name}/hooks`)).status, 404);
      assert.equal((await client.get(path)).status, 404);
      assert.equal((await client.post(`/repos/${name}/hooks`, {})).status, 404);
      assert.equal((await client.delete(path)).status, 404);
    }
    assert.equal((await reader.get(path)).status, 200);
    assert.equal((await reader.delete(path)).status, 404);
  });

  test('a webhook that could not be delivered is refused', async () => {
    const path = `/repos/${await forge.repository(owner)}/hooks`;
    const url = receiver.url;
    const bodies = [
      {},
      { config: { url: 'ftp://example.test/' } },
      { config: { url: 'nonsense' } },
      { config: { url, content_type: 'xml' } },
      { config: { url }, events: ['nothing-known'] },
      { config: { url }, events: [] },
      { name: 'email', config: { url } },
    ];
    for (const body of bodies) {
      const response = await owner.post(path, body);
      assert.equal(response.status, 422, JSON.stringify(body));
      assert.equal(response.body.errors[0].resource, 'Hook');
    }
  });

  test('a webhook may ask for every event the service has, and for no others', async () => {
    const path = `/repos/${await forge.repository(owner)}/hooks`;
    const all = describedEvents();
    assert.ok(all.length > 60, String(all));
    const config = { url: receiver.url };
    const created = await owner.post(path, { config, events: all, active: false });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.body.events, all);
    const unknown = await owner.post(path, { config, events: ['push', 'pushes', 'Push'] });
    assert.equal(unknown.status, 422);
    assert.match(unknown.body.errors[0].message, /^Unknown events: pushes, Push\./);
  });

  test('credentials that cannot be decoded are refused', async () => {
    const path = `/repos/${await forge.repository(owner)}/hooks`;
    for (const url of [
      'http://%ff@hooks.example/',
      'http://me:%c3%28@hooks.example/',
      'http://me:100%@hooks.example/',
    ]) {
      const response = await owner.post(path, { config: { url } });
      assert.equal(response.status, 422, url);
      assert.match(response.body.errors[0].message, /invalid percent-encoding/);
    }
    const config = { url: receiver.url.replace('://', '://m%C3%A9:%40@') };
    assert.equal((await owner.post(path, { config })).status, 201);
  });

  test('loopback and private targets are refused unless the setting lets them in', async () => {
    const strict = await startTestForge();
    try {
      const user = await strict.user('strict');
      const name = await strict.repository(user);
      for (const url of [
        'http://127.0.0.1/',
        'http://2130706433/',
        'http://localhost/',
        'http://10.1.2.3/',
        'http://[::1]/',
        'http://[::ffff:169.254.169.254]/',
      ]) {
        const response = await user.post(`/repos/${name}/hooks`, { config: { url } });
        assert.equal(response.status, 422, url);
        assert.match(response.text, /loopback or private.*HOB_WEBHOOK_PRIVATE_TARGETS=on/);
      }
    } finally {
      await strict.close();
    }
    // Addresses that carry another one, which may be private, and those that no one on the internet has.
    for (const address of [
      '::ffff:10.0.0.1',
      '::ffff:0:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::1',
      '2001:0:a00:1::1',
      '192.88.99.1',
      '100::1',
      'fec0::1',
    ]) {
      assert.ok(isPrivateAddress(address), address);
    }
    assert.equal(isPrivateAddress('93.184.216.34'), false);
    assert.equal(isPrivateAddress('2606:2800:220:1::1'), false);
    assert.equal(isPrivateAddress('2001:4860:4860::8888'), false);
  });

  test('a target that is private by the time of sending is not connected to', async () => {
    const name = await forge.repository(owner);
    const strict = { ...forge.ports.settings, webhookPrivateTargets: false };
    const careful = createDeliverer({ ...forge.ports, settings: strict }, (error) => {
      throw error;
    });
    // By its address, and by a name that a name server or the hosts file leads to it.
    const byName = receiver.url.replace('127.0.0.1', 'localhost');
    for (const url of [receiver.url, byName]) {
      const path = await hook(name, ['push'], { url });
      await owner.post(`${path}/pings`);
      await careful.deliverDue();
      assert.equal(receiver.take().length, 0);
      const [last] = (await owner.get(`${path}/deliveries`)).body;
      assert.match(
        last.status,
        /^refused to connect to a private address: .*HOB_WEBHOOK_PRIVATE_TARGETS=on/,
      );
      await owner.delete(path);
    }
    await careful.close();
  });

  test('a webhook is created, shown without its secret, changed and deleted', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push'], { secret: 'hush' });
    const shown = await owner.get(path);
    assert.deepEqual(shown.body.config, {
      content_type: 'json',
      secret: '********',
      url: receiver.url,
      insecure_ssl: '0',
    });
    assert.equal(shown.body.last_response.code, 200);
    const twice = await owner.post(`/repos/${name}/hooks`, { config: { url: receiver.url } });
    assert.equal(twice.status, 422);
    const changed = await owner.patch(path, { add_events: ['status'], active: false });
    assert.deepEqual(changed.body.events, ['push', 'status']);
    assert.equal(changed.body.active, false);
    await commitFiles(forge, name, 'main', { a: 'a' });
    assert.equal((await delivered()).length, 0);
    assert.equal((await owner.get(`/repos/${name}/hooks`)).body.length, 1);
    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.get(path)).status, 404);
  });

  test('what several requests change at once is changed', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push', 'push', 'issues']);
    assert.deepEqual((await owner.get(path)).body.events, ['push', 'issues']);
    const requests = [
      { active: false },
      { add_events: ['fork'] },
      { config: { url: `${receiver.url}/other` } },
      { remove_events: ['push'] },
    ];
    for (const response of await Promise.all(requests.map((body) => owner.patch(path, body)))) {
      assert.equal(response.status, 200, response.text);
    }
    const { active, events, config } = (await owner.get(path)).body;
    assert.deepEqual(
      [active, events.toSorted(), config.url],
      [false, ['fork', 'issues'], `${receiver.url}/other`],
    );
    const removed = ['fork', 'issues'].map((each) => owner.patch(path, { remove_events: [each] }));
    const statuses = (await Promise.all(removed)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 422], 'one is left');
  });

  test('a delivery is signed, named and identified by its headers', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push'], { secret: 'hush' });
    assert.equal((await owner.post(`${path}/pings`)).status, 204);
    const [ping] = await delivered();
    assert.ok(ping);
    const sum = createHmac('sha256', 'hush').update(ping.text).digest('hex');
    assert.equal(ping.headers['x-hub-signature-256'], `sha256=${sum}`);
    assert.match(String(ping.headers['x-hub-signature']), /^sha1=[0-9a-f]{40}$/);
    assert.equal(ping.headers['x-github-event'], 'ping');
    assert.match(String(ping.headers['user-agent']), /^GitHub-Hookshot\/\w+$/);
    assert.match(
      String(ping.headers['x-github-delivery']),
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    );
    assert.equal(ping.headers['content-type'], 'application/json');
    assert.equal(ping.body.repository.full_name, name);
    assert.equal(ping.body.sender.login, 'hooker');
    assert.equal(ping.body.hook.config.secret, '********');
  });

  test('a form delivery carries the payload as a field', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push'], { content_type: 'form' });
    await owner.post(`${path}/pings`);
    const [ping] = await delivered();
    assert.match(ping?.text ?? '', /^payload=%7B/);
    assert.equal(ping?.headers['content-type'], 'application/x-www-form-urlencoded');
  });

  test('pushes of refs other than branches and tags cause no events', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = await hook(name, ['*']);
    const { body: main } = await owner.get(`/repos/${name}/git/ref/heads/main`);
    const events = (await owner.get(`/repos/${name}/events`)).text;
    const body = { ref: 'refs/notes/commits', sha: main.object.sha };
    assert.equal((await owner.post(`/repos/${name}/git/refs`, body)).status, 201);
    assert.equal((await owner.delete(`/repos/${name}/git/refs/notes/commits`)).status, 204);
    assert.deepEqual(await delivered(), []);
    assert.equal((await owner.get(`/repos/${name}/events`)).text, events);
    await owner.delete(path);
  });

  test('pushes, new branches and deleted ones cause events', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push', 'create', 'delete']);
    const one = await commitFiles(forge, name, 'main', { a: 'a' });
    // They are under way at the same time and come in any order.
    const [create, push] = byEvent(await delivered());
    assert.equal(push?.body.after, one);
    assert.equal(push?.body.created, true);
    assert.deepEqual(push?.body.head_commit.added, ['a']);
    assert.equal(create?.body.ref, 'main');
    assert.equal(create?.body.ref_type, 'branch');
    const two = await commitFiles(forge, name, 'main', { a: 'b' });
    const [next, ...none] = await delivered();
    assert.deepEqual(none, []);
    assert.equal(next?.body.before, one);
    assert.deepEqual(
      next?.body.commits.map((commit: { id: string; modified: string[] }) => [
        commit.id,
        commit.modified,
      ]),
      [[two, ['a']]],
    );
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/side', sha: one });
    await delivered();
    assert.equal((await owner.delete(`/repos/${name}/git/refs/heads/side`)).status, 204);
    const gone = await delivered();
    assert.deepEqual(
      byEvent(gone).map(({ headers }) => headers['x-github-event']),
      ['delete', 'push'],
    );
    assert.equal(gone[0]?.body.sender.login, 'hooker');
    assert.equal((await owner.post(`${path}/tests`)).status, 204);
    assert.equal((await delivered())[0]?.body.after, two);
  });

  test('a pull causes events: opened, edited, synchronize, closed, reopened, merged', async () => {
    const name = await forge.repository(owner);
    await hook(name, ['pull_request']);
    const base = await commitFiles(forge, name, 'main', { a: 'a' });
    await commitFiles(forge, name, 'topic', { b: 'b' }, { parents: [base] });
    const body = { title: 'One', head: 'topic', base: 'main' };
    const pull = `/repos/${name}/pulls/${(await owner.post(`/repos/${name}/pulls`, body)).body.number}`;
    const sent = async (): Promise<string> => {
      const [only, ...none] = await delivered();
      assert.deepEqual(none, []);
      assert.equal(only?.body.pull_request.title.length > 0, true);
      return `${only?.body.action} ${only?.body.pull_request.merged}`;
    };
    assert.equal(await sent(), 'opened false');
    await owner.patch(pull, { title: 'Two' });
    assert.equal(await sent(), 'edited false');
    await commitFiles(forge, name, 'topic', { c: 'c' });
    assert.equal(await sent(), 'synchronize false');
    await owner.patch(pull, { state: 'closed' });
    assert.equal(await sent(), 'closed false');
    await owner.patch(pull, { state: 'open' });
    assert.equal(await sent(), 'reopened false');
    await untilChecked(forge, owner, pull);
    assert.equal((await owner.put(`${pull}/merge`, {})).status, 200);
    assert.equal(await sent(), 'closed true');
  });

  test('edits by maintainers that are let in or not are no event of the pull', async () => {
    const name = await forge.repository(owner, { init: true });
    const fork = (await outsider.post(`/repos/${name}/forks`)).body.full_name;
    const main = (await outsider.get(`/repos/${fork}/branches/main`)).body.commit.sha;
    await commitFiles(forge, fork, 'idea', { a: 'a' }, { parents: [main] });
    const input = { title: 'One', head: `${outsider.login}:idea`, base: 'main' };
    const opened = await outsider.post(`/repos/${name}/pulls`, input);
    assert.equal(opened.status, 201, opened.text);
    const pull = `/repos/${name}/pulls/${opened.body.number}`;
    await hook(name, ['*']);
    for (const allowed of [true, false]) {
      const edited = await outsider.patch(pull, { maintainer_can_modify: allowed });
      assert.equal(edited.body.maintainer_can_modify, allowed, edited.text);
      assert.deepEqual(await delivered(), []);
    }
    await outsider.patch(pull, { maintainer_can_modify: true, title: 'Two' });
    const [edited, ...others] = await delivered();
    assert.deepEqual(others, []);
    assert.equal(edited?.body.action, 'edited');
    assert.deepEqual(edited?.body.changes, { title: { from: 'One' } });
  });

  test('a status event has its commit and branches', async () => {
    const opened = await openPull(forge, owner);
    const protection = `/repos/${opened.name}/branches/topic/protection`;
    const rules = {
      required_status_checks: null,
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    };
    assert.equal((await owner.put(protection, rules)).status, 200);
    await hook(opened.name, ['*']);
    const path = `/repos/${opened.name}/statuses/${opened.head}`;
    await owner.post(path, { state: 'success', context: 'ci' });
    const [status] = await delivered();
    assert.equal(status?.headers['x-github-event'], 'status');
    assert.equal(status?.body.state, 'success');
    assert.equal(status?.body.sha, opened.head);
    assert.deepEqual(
      status?.body.branches,
      (await owner.get(`/repos/${opened.name}/branches?protected=true`)).body,
    );
  });

  test('what was not taken is sent again later, under the same name, and then given up', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push']);
    receiver.response = { status: 500 };
    await owner.post(`${path}/pings`);
    const [first] = await delivered();
    assert.equal((await delivered()).length, 0);
    const names = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      forge.clock.advance(20 * 60_000);
      names.push(...(await delivered()).map(({ headers }) => headers['x-github-delivery']));
    }
    assert.deepEqual(new Set(names), new Set([first?.headers['x-github-delivery']]));
    assert.equal(names.length, 4);
    const [last] = (await owner.get(`${path}/deliveries`)).body;
    assert.equal(last.status_code, 500);
  });

  test('a redirect is not followed', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push']);
    receiver.response = { status: 302, headers: { location: receiver.url } };
    await owner.post(`${path}/pings`);
    assert.equal((await delivered()).length, 1);
    await owner.delete(path);
  });

  test('what a crash left unsent is sent by the next start', async () => {
    const name = await forge.repository(owner);
    await hook(name, ['push']);
    await commitFiles(forge, name, 'main', { a: 'a' });
    const next = newDeliverer(forge);
    await next.deliverDue();
    await next.close();
    assert.equal(receiver.take()[0]?.headers['x-github-event'], 'push');
  });

  test('a list of deliveries reads neither payloads nor responses', async () => {
    const path = await hook(await forge.repository(owner), ['push']);
    const page = { size: 1, offset: 0 };
    const { deliveries } = await forge.database.read((sql) =>
      listDeliveries(sql, Number(path.split('/').at(-1)), page),
    );
    const [ping] = deliveries;
    assert.deepEqual(Object.keys(ping ?? {}).toSorted(), [
      'action',
      'event',
      'guid',
      'id',
      'installationId',
      'outcome',
      'redelivery',
      'repositoryId',
    ]);
    assert.deepEqual(Object.keys(ping?.outcome ?? {}).toSorted(), [
      'at',
      'code',
      'milliseconds',
      'status',
    ]);
  });

  test('a delivery is shown with request and answer, and is sent again when asked for', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push']);
    const [ping] = (await owner.get(`${path}/deliveries`)).body;
    assert.equal(ping.event, 'ping');
    assert.equal(ping.redelivery, false);
    const whole = (await owner.get(`${path}/deliveries/${ping.id}`)).body;
    assert.equal(whole.response.payload, 'thanks');
    assert.equal(whole.request.payload.repository.full_name, name);
    assert.equal((await owner.post(`${path}/deliveries/${ping.id}/attempts`)).status, 202);
    const [again] = await delivered();
    assert.equal(again?.headers['x-github-delivery'], ping.guid);
    assert.equal((await owner.get(`${path}/deliveries`)).body[0].redelivery, true);
    assert.equal((await owner.post(`${path}/deliveries/999999/attempts`)).status, 404);
  });
});
