import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import { reconcile } from '../testing/reconcile.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';
import { type Receiver, startReceiver } from '../testing/receiver-fixture.ts';

describe('the events that webhooks get', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('owner');
    guest = await forge.user('guest');
    receiver = await startReceiver();
    deliverer = newDeliverer();
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  function newDeliverer(): Deliverer {
    return createDeliverer(forge.ports, (error) => {
      throw error;
    });
  }

  async function hook(name: string, events: readonly string[]): Promise<string> {
    const config = { url: receiver.url, content_type: 'json' };
    const response = await owner.post(`/repos/${name}/hooks`, { config, events });
    assert.equal(response.status, 201, response.text);
    await sent();
    return `/repos/${name}/hooks/${response.body.id}`;
  }

  /** The events since the last call, each as `event action`, in no particular order. */
  async function sent(): Promise<string[]> {
    return (await payloads()).map(({ event, body }) => [event, body.action ?? []].flat().join(' '));
  }

  async function payloads(): Promise<
    { event: string; body: ReturnType<Receiver['take']>[0]['body'] }[]
  > {
    await deliverer.deliverDue();
    const all = receiver.take().map(({ headers, body }) => ({
      event: String(headers['x-github-event']),
      body,
    }));
    for (const { body } of all) assert.ok(body.sender.login, 'there is always a sender');
    return all.toSorted((one, other) => one.event.localeCompare(other.event));
  }

  test('issues: opened, edited, closed and reopened', async () => {
    const name = await forge.repository(owner);
    await hook(name, ['issues']);
    const created = await guest.post(`/repos/${name}/issues`, { title: 'One', body: 'Words' });
    assert.equal(created.status, 201);
    const [opened] = await payloads();
    assert.equal(opened?.body.sender.login, 'guest');
    assert.equal(opened?.body.issue.title, 'One');
    const path = `/repos/${name}/issues/${created.body.number}`;
    await owner.patch(path, { title: 'Two' });
    const [edited] = await payloads();
    assert.deepEqual(edited?.body.changes, { title: { from: 'One' } });
    await owner.patch(path, { state: 'closed' });
    assert.deepEqual(await sent(), ['issues closed']);
    await owner.patch(path, { state: 'closed' });
    assert.deepEqual(await sent(), [], 'what was closed already is not closed again');
    await owner.patch(path, { state: 'open' });
    assert.deepEqual(await sent(), ['issues reopened']);
  });

  test('comments: created, edited and deleted, with their last text', async () => {
    const { name, number } = await openPull(forge, owner);
    await hook(name, ['issue_comment']);
    const { body } = await guest.post(`/repos/${name}/issues/${number}/comments`, { body: 'Hi' });
    const [created] = await payloads();
    assert.equal(created?.body.comment.body, 'Hi');
    assert.ok(created?.body.issue.pull_request.url, 'the issue says that it is a pull');
    const path = `/repos/${name}/issues/comments/${body.id}`;
    await guest.patch(path, { body: 'Hello' });
    const [edited] = await payloads();
    assert.deepEqual(edited?.body.changes, { body: { from: 'Hi' } });
    await owner.delete(path);
    const [deleted] = await payloads();
    assert.equal(deleted?.body.action, 'deleted');
    assert.equal(deleted?.body.comment.body, 'Hello');
    assert.equal(deleted?.body.sender.login, 'owner');
  });

  test('a refused comment causes no event', async () => {
    const { name, number } = await openPull(forge, owner);
    await hook(name, ['issue_comment']);
    await owner.put(`/repos/${name}/issues/${number}/lock`);
    const path = `/repos/${name}/issues/${number}/comments`;
    assert.equal((await guest.post(path, { body: 'Hi' })).status, 403);
    assert.deepEqual(await sent(), []);
  });

  test('reviews: submitted and dismissed, but no drafts', async () => {
    const { name, number } = await openPull(forge, owner);
    await hook(name, ['pull_request_review']);
    const reviews = `/repos/${name}/pulls/${number}/reviews`;
    const draft = await guest.post(reviews, { body: 'Later' });
    assert.equal(draft.status, 200, draft.text);
    assert.deepEqual(await sent(), []);
    await guest.post(`${reviews}/${draft.body.id}/events`, { event: 'APPROVE' });
    const [submitted] = await payloads();
    assert.equal(submitted?.body.review.state, 'approved');
    assert.equal(submitted?.body.pull_request.number, number);
    await owner.put(`${reviews}/${draft.body.id}/dismissals`, { message: 'Not yet' });
    assert.deepEqual(await sent(), ['pull_request_review dismissed']);
  });

  test('members: added by their own agreement, with another permission, removed', async () => {
    const name = await forge.repository(owner);
    await hook(name, ['member']);
    const path = `/repos/${name}/collaborators/guest`;
    const invited = await owner.put(path, { permission: 'maintain' });
    assert.deepEqual(await sent(), [], 'an invitation makes nobody a member');
    await guest.patch(`/user/repository_invitations/${invited.body.id}`);
    const [added] = await payloads();
    assert.equal(added?.body.member.login, 'guest');
    assert.deepEqual(added?.body.changes, {
      permission: { to: 'write' },
      role_name: { to: 'maintain' },
    });
    await owner.put(path, { permission: 'admin' });
    const [edited] = await payloads();
    assert.deepEqual(edited?.body.changes.permission, { from: 'write', to: 'admin' });
    await owner.put(path, { permission: 'admin' });
    assert.deepEqual(await sent(), []);
    await owner.delete(path);
    assert.deepEqual(await sent(), ['member removed']);
    await owner.delete(path);
    assert.deepEqual(await sent(), []);
  });

  test('the repository: edited, renamed, archived, made private, given away', async () => {
    const name = await forge.repository(owner, { name: 'first' });
    await forge.organization(owner, 'company');
    await hook(name, ['repository']);
    await owner.patch(`/repos/${name}`, { description: 'Tools', homepage: 'http://x.test' });
    const [edited] = await payloads();
    assert.deepEqual(edited?.body.changes.description, { from: null });
    await owner.put(`/repos/${name}/topics`, { names: ['tools'] });
    const [topics] = await payloads();
    assert.deepEqual(topics?.body.changes, { topics: { from: [] } });
    await owner.patch(`/repos/${name}`, { name: 'second' });
    const [renamed] = await payloads();
    assert.equal(renamed?.body.repository.name, 'second');
    assert.deepEqual(renamed?.body.changes, { repository: { name: { from: 'first' } } });
    await owner.patch('/repos/owner/second', { private: true });
    assert.deepEqual(await sent(), ['repository privatized']);
    await owner.patch('/repos/owner/second', { private: false });
    assert.deepEqual(await sent(), ['repository publicized']);
    await owner.patch('/repos/owner/second', { archived: true });
    assert.deepEqual(await sent(), ['repository archived']);
    await owner.patch('/repos/owner/second', { archived: false });
    assert.deepEqual(await sent(), ['repository unarchived']);
    await owner.post('/repos/owner/second/transfer', { new_owner: 'company' });
    const [transferred] = await payloads();
    assert.equal(transferred?.body.changes.owner.from.user.login, 'owner');
    assert.equal(transferred?.body.organization.login, 'company');
  });

  test('its deletion is delivered even though the repository is gone, and then its row is deleted', async () => {
    const name = await forge.repository(owner);
    const id = await repositoryId(forge, name);
    await hook(name, ['*']);
    await commitFiles(forge, name, 'main', { a: 'a' });
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    assert.equal((await owner.get(`/repos/${name}`)).status, 404);
    // The next start finishes what was left, and has nothing to add.
    await reconcile(forge.ports);
    const [deleted, ...none] = await payloads();
    assert.deepEqual(none, []);
    assert.equal(deleted?.body.action, 'deleted');
    assert.equal(deleted?.body.repository.full_name, name);
    assert.equal(deleted?.body.sender.login, 'owner');
    const left = await forge.database.read((sql) =>
      sql.all(`select id from repositories where id = $1`, id),
    );
    assert.deepEqual(left, []);
  });

  test('a fork, with the new repository', async () => {
    const name = await forge.repository(owner, { init: true });
    await hook(name, ['fork']);
    assert.equal((await guest.post(`/repos/${name}/forks`)).status, 202);
    const [forked, ...none] = await payloads();
    assert.equal(forked?.body.forkee.owner.login, 'guest');
    await guest.post(`/repos/${name}/forks`);
    assert.deepEqual([...none, ...(await sent())], [], 'the fork was there already');
  });

  test('the owner is the sender if the actor is unknown', async () => {
    const name = await forge.repository(owner);
    await hook(name, ['push', 'create', 'delete']);
    await commitFiles(forge, name, 'main', { a: 'a' });
    const [create, push] = await payloads();
    assert.equal(create?.body.sender.login, 'owner');
    assert.equal(push?.body.pusher.name, 'none');
  });

  test('two servers on one database send a delivery once', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push']);
    const other = newDeliverer();
    for (let ping = 0; ping < 6; ping += 1) await owner.post(`${path}/pings`);
    await Promise.all([deliverer.deliverDue(), other.deliverDue()]);
    await deliverer.deliverDue();
    await other.close();
    assert.equal(receiver.take().length, 6);
  });

  test('what a server claimed and did not finish is sent by another once the claim runs out', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push']);
    await owner.post(`${path}/pings`);
    // A server that dies between its claim and the response: its claim is all it leaves.
    await forge.database.write((sql) =>
      sql.run(
        `update webhook_deliveries set due_at = $1 where due_at is not null`,
        forge.clock.now() + 60_000,
      ),
    );
    assert.deepEqual(await sent(), []);
    forge.clock.advance(60_000);
    assert.deepEqual(await sent(), ['ping']);
  });

  test('the configuration of a webhook is shown and changed by itself', async () => {
    const name = await forge.repository(owner);
    const path = await hook(name, ['push']);
    const reader = await forge.withScopes(owner, ['read:repo_hook']);
    assert.equal((await guest.get(`${path}/config`)).status, 404);
    assert.equal((await reader.patch(`${path}/config`, { secret: 'x' })).status, 404);
    assert.equal((await owner.patch(`${path}/config`, { content_type: 'xml' })).status, 422);
    assert.equal((await owner.get(`/repos/${name}/hooks/999/config`)).status, 404);
    const changed = await owner.patch(`${path}/config`, { secret: 'hush', content_type: 'form' });
    assert.equal(changed.status, 200);
    const config = { content_type: 'form', secret: '********', url: receiver.url };
    assert.deepEqual((await reader.get(`${path}/config`)).body, { ...config, insecure_ssl: '0' });
    assert.deepEqual((await owner.get(path)).body.events, ['push'], 'the rest stays');
  });
});
