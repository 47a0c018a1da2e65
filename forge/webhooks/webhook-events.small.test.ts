import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Received, type Receiver, startReceiver } from '../testing/receiver-fixture.ts';
import { makeSshKey } from '../testing/ssh-keys.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';

describe('webhooks get events of stars, comments on commits, deployments and dispatches', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;
  let name: string;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('owner');
    stranger = await forge.user('stranger');
    receiver = await startReceiver();
    deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
    name = await forge.repository(owner, { init: true });
    const config = { url: receiver.url, content_type: 'json' };
    const deployments = ['deployment', 'deployment_status'];
    const events = [
      'star',
      'watch',
      'deploy_key',
      'commit_comment',
      'repository_dispatch',
      ...deployments,
    ];
    assert.equal((await owner.post(`/repos/${name}/hooks`, { config, events })).status, 201);
    await delivered();
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  /** What was delivered since the last time, by the name of the event. */
  async function delivered(): Promise<Map<string, Received['body']>> {
    await deliverer.deliverDue();
    return byEvent(receiver.take());
  }

  /** The published description takes dispatches for those of one App alone. */
  async function deliveredUnchecked(): Promise<Map<string, Received['body']>> {
    await deliverer.deliverDue();
    return byEvent(receiver.received.splice(0));
  }

  function byEvent(deliveries: readonly Received[]): Map<string, Received['body']> {
    return new Map(
      deliveries.map(({ headers, body }) => [String(headers['x-github-event']), body]),
    );
  }

  test('a star, and its end', async () => {
    await stranger.put(`/user/starred/${name}`);
    const starred = await delivered();
    assert.deepEqual([...starred.keys()].toSorted(), ['star', 'watch']);
    assert.equal(starred.get('watch').action, 'started');
    const star = starred.get('star');
    assert.deepEqual([star.action, star.sender.login], ['created', 'stranger']);
    assert.equal(star.repository.stargazers_count, 1);
    assert.match(star.starred_at, /^\d{4}-/);
    await stranger.delete(`/user/starred/${name}`);
    const ended = (await delivered()).get('star');
    assert.deepEqual([ended.action, ended.starred_at], ['deleted', null]);
  });

  test('a comment on a commit', async () => {
    await stranger.post(`/repos/${name}/commits/main/comments`, { body: 'Why?' });
    const { action, comment } = (await delivered()).get('commit_comment');
    assert.deepEqual([action, comment.body, comment.user.login], ['created', 'Why?', 'stranger']);
  });

  test('a deploy key, and its end; none for the key of a user', async () => {
    const { publicKey: key } = makeSshKey();
    await owner.post('/user/keys', { title: 'laptop', key: makeSshKey().publicKey });
    const { body } = await owner.post(`/repos/${name}/keys`, { title: 'CI', key, read_only: true });
    const added = await delivered();
    assert.deepEqual([...added.keys()], ['deploy_key']);
    const created = added.get('deploy_key');
    assert.deepEqual([created.action, created.key], ['created', body]);
    assert.equal(created.sender.login, 'owner');
    await owner.delete(`/repos/${name}/keys/${body.id}`);
    const deleted = (await delivered()).get('deploy_key');
    assert.deepEqual([deleted.action, deleted.key.id], ['deleted', body.id]);
    await owner.delete(`/repos/${name}/keys/${body.id}`);
    assert.equal((await delivered()).size, 0);
  });

  test('a deployment, and its statuses', async () => {
    const path = `/repos/${name}/deployments`;
    const asked = { ref: 'main', environment: 'qa', payload: { by: 'bot' } };
    const { body } = await owner.post(path, asked);
    const created = (await delivered()).get('deployment');
    assert.deepEqual([created.action, created.deployment], ['created', body]);
    await owner.post(`${path}/${body.id}/statuses`, { state: 'success' });
    const reported = (await delivered()).get('deployment_status');
    assert.deepEqual(
      [reported.action, reported.deployment_status.state, reported.deployment.payload],
      ['created', 'success', { by: 'bot' }],
    );
    const next = await owner.post(path, asked);
    await owner.post(`${path}/${next.body.id}/statuses`, { state: 'success' });
    await deliverer.deliverDue();
    const states = receiver
      .take()
      .filter(({ headers }) => headers['x-github-event'] === 'deployment_status')
      .map((each) => [each.body.deployment.id, each.body.deployment_status.state]);
    // Deliveries are sent at the same time.
    assert.deepEqual(
      states.toSorted(([, one], [, other]) => one.localeCompare(other)),
      [
        [body.id, 'inactive'],
        [next.body.id, 'success'],
      ],
    );
  });

  test('a dispatch, of those who may push, within the limits', async () => {
    const path = `/repos/${name}/dispatches`;
    const body = {
      event_type: 'sample.collected',
      client_payload: { ref: 'v1', nested: { n: 1 } },
    };
    assert.equal((await forge.anonymous.post(path, body)).status, 404);
    assert.equal((await stranger.post(path, body)).status, 404);
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`p${index}`, index]));
    for (const wrong of [
      {},
      { event_type: '' },
      { event_type: 'x'.repeat(101) },
      { event_type: 'x', client_payload: [] },
      { event_type: 'x', client_payload: many },
      { event_type: 'x', client_payload: { long: 'x'.repeat(70_000) } },
    ]) {
      assert.equal((await owner.post(path, wrong)).status, 422, JSON.stringify(wrong).slice(0, 60));
    }
    assert.equal((await delivered()).size, 0);
    assert.equal((await owner.post(path, body)).status, 204);
    const sent = (await deliveredUnchecked()).get('repository_dispatch');
    assert.deepEqual(
      [sent.action, sent.branch, sent.client_payload],
      ['sample.collected', 'main', body.client_payload],
    );
    assert.equal((await owner.post(path, { event_type: 'sample.collected' })).status, 204);
    assert.deepEqual((await deliveredUnchecked()).get('repository_dispatch').client_payload, {});
  });
});
