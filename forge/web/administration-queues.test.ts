import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { SiteAct } from '#platform/site-act.ts';

import { createForgeServer } from '../forge.ts';
import type { ServerStatus } from '../ports/ports.ts';
import { startReceiver } from '../testing/receiver-fixture.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer } from '../webhooks/delivery-worker.ts';

describe('deliveries and queues on the pages for site administrators', () => {
  let forge: TestForge;
  let ada: TestUser;
  let administrator: TestBrowser;
  let user: TestBrowser;
  const acts: SiteAct[] = [];

  before(async () => {
    forge = await startTestForge(
      { webhookPrivateTargets: true },
      { recordSiteAct: async (act) => void acts.push(act) },
    );
    await forge.user('root', { siteAdmin: true });
    ada = await forge.user('ada');
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

  /** A webhook with a delivery that has failed as often as it is attempted, or is to be attempted again. */
  async function failing(ended: boolean): Promise<{ webhook: string; delivery: string }> {
    const receiver = await startReceiver();
    const deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
    try {
      receiver.response = { status: 500 };
      const name = await forge.repository(ada);
      const config = { url: receiver.url };
      const { body } = await ada.post(`/repos/${name}/hooks`, { config });
      await deliverer.deliverDue();
      const deliveries = await ada.get(`/repos/${name}/hooks/${body.id}/deliveries`);
      const delivery = String(deliveries.body[0].id);
      if (ended) {
        await forge.database.write((sql) =>
          sql.run('update webhook_deliveries set due_at = null where id = $1', Number(delivery)),
        );
      }
      return { webhook: String(body.id), delivery };
    } finally {
      await deliverer.close();
      await receiver.close();
    }
  }

  const rowsOf = (webhook: string): Promise<{ id: number; due_at: number | null }[]> =>
    forge.database.read((sql) =>
      sql.all<{ id: number; due_at: number | null }>(
        'select id, due_at from webhook_deliveries where webhook_id = $1 order by id',
        Number(webhook),
      ),
    );

  test('are not for others, nor without a token', async () => {
    const ids = await failing(true);
    const posts = [
      ['/-/admin/webhooks/redeliver', ids],
      ['/-/admin/queues/retry', { queue: 'webhook_deliveries' }],
      ['/-/admin/queues/give-up', { queue: 'webhook_deliveries' }],
    ] as const;
    for (const [path, fields] of posts) {
      assert.equal((await send(user, path, fields)).status, 404, path);
      assert.equal((await administrator.post(path, { ...fields })).status, 403, path);
      const forged = await administrator.post(path, { form_token: 'x', ...fields });
      assert.equal(forged.status, 403, path);
      const visitor = createTestBrowser(forge);
      assert.notEqual((await visitor.post(path, { ...fields })).status, 303, path);
    }
    assert.equal((await rowsOf(ids.webhook)).length, 1);
    assert.deepEqual(acts, []);
  });

  test('a delivery that failed is sent once more, however often the form is sent', async () => {
    const ids = await failing(true);
    const { text } = await administrator.get('/-/admin/webhooks');
    assert.match(text, new RegExp(`<details[^]*name="delivery" value="${ids.delivery}"`));
    acts.length = 0;
    for (let count = 0; count < 3; count += 1) {
      const sent = await send(administrator, '/-/admin/webhooks/redeliver', ids);
      assert.equal(sent.headers['location'], '/-/admin/webhooks');
    }
    const rows = await rowsOf(ids.webhook);
    assert.equal(rows.length, 2);
    assert.notEqual(rows[1]?.due_at, null);
    assert.match((await administrator.get('/-/admin/webhooks')).text, /1 delivery waiting/);
    assert.equal(acts.length, 3);
    assert.deepEqual(
      acts.map(({ action, actor, parameters, errorCode }) => ({
        action,
        actor,
        parameters,
        errorCode,
      }))[0],
      { action: 'hook.redeliver', actor: 'root', parameters: ids, errorCode: undefined },
    );
  });

  test('nothing is sent for a delivery of another webhook, one that is not there, or goes on', async () => {
    const [one, other] = [await failing(true), await failing(false)];
    acts.length = 0;
    for (const fields of [
      { webhook: one.webhook, delivery: other.delivery },
      { webhook: other.webhook, delivery: other.delivery },
      { webhook: one.webhook, delivery: '999999' },
      { webhook: '999999', delivery: one.delivery },
      { webhook: one.webhook, delivery: '1 or 1=1' },
      { webhook: '-1', delivery: one.delivery },
      { webhook: one.webhook },
      {},
    ]) {
      const sent = await send(administrator, '/-/admin/webhooks/redeliver', fields);
      assert.equal(sent.status, 403, JSON.stringify(fields));
      assert.match(sent.text, /it is not there any more/);
    }
    assert.equal((await rowsOf(one.webhook)).length, 1);
    assert.deepEqual(
      acts.map(({ errorCode }) => errorCode),
      ['not-found', 'not-found', 'not-found', 'not-found'],
    );
  });

  test('nothing is sent to a webhook that is not active', async () => {
    const ids = await failing(true);
    await forge.database.write((sql) =>
      sql.run('update webhooks set active = 0 where id = $1', Number(ids.webhook)),
    );
    assert.equal((await send(administrator, '/-/admin/webhooks/redeliver', ids)).status, 403);
    assert.equal((await rowsOf(ids.webhook)).length, 1);
  });

  test('what waits for its next attempt is attempted now', async () => {
    const ids = await failing(false);
    const [planned] = await rowsOf(ids.webhook);
    assert.ok((planned?.due_at ?? 0) > forge.clock.now());
    assert.match((await administrator.get('/-/admin')).text, /<details[^]*Retry now/);
    acts.length = 0;
    const sent = await send(administrator, '/-/admin/queues/retry', {
      queue: 'webhook_deliveries',
    });
    assert.equal(sent.headers['location'], '/-/admin');
    assert.ok(((await rowsOf(ids.webhook))[0]?.due_at ?? Infinity) <= forge.clock.now());
    const [act] = acts;
    assert.equal(act?.action, 'queue.retry');
    assert.equal(act?.parameters['queue'], 'webhook_deliveries');
    assert.ok(Number(act?.parameters['items']) >= 1);
    // The second time there is nothing to make due.
    await send(administrator, '/-/admin/queues/retry', { queue: 'webhook_deliveries' });
    assert.equal(acts[1]?.parameters['items'], '0');
  });

  test('what a server is working on is left to it', async () => {
    const ids = await failing(false);
    const due = forge.clock.now() + 60_000;
    await forge.database.write((sql) =>
      sql.run(
        `update webhook_deliveries set claimed_by = 'a server', due_at = $2 where webhook_id = $1`,
        Number(ids.webhook),
        due,
      ),
    );
    for (const act of ['retry', 'give-up']) {
      await send(administrator, `/-/admin/queues/${act}`, { queue: 'webhook_deliveries' });
      assert.equal((await rowsOf(ids.webhook))[0]?.due_at, due, act);
    }
  });

  test('what has failed is given up, and can be redelivered', async () => {
    const ids = await failing(false);
    await send(administrator, '/-/admin/queues/give-up', { queue: 'webhook_deliveries' });
    assert.deepEqual(
      (await rowsOf(ids.webhook)).map(({ due_at: due }) => due),
      [null],
    );
    const sent = await send(administrator, '/-/admin/webhooks/redeliver', ids);
    assert.equal(sent.status, 303, sent.text);
  });

  test('other queues are those of the program, each with what it can do', async () => {
    acts.length = 0;
    for (const [act, queue] of [
      ['retry', 'ref_intents'],
      ['retry', ''],
      ['retry', 'accounts; drop table accounts'],
      ['retry', 'function_events'],
      ['give-up', 'function_events'],
    ] as const) {
      const sent = await send(administrator, `/-/admin/queues/${act}`, { queue });
      assert.equal(sent.status, 403, queue);
    }
    const asked: string[] = [];
    const serverStatus: ServerStatus = {
      queues: async () => [
        { queue: 'function_events', items: 3, retrying: 1, oldestAt: undefined },
        { queue: 'durable_executions', items: 3, retrying: 1, oldestAt: undefined },
      ],
      async retryQueue(queue) {
        asked.push(queue);
        return 1;
      },
      host: async () => [],
      settings: [],
      storage: async () => [],
      tasks: () => [],
    };
    const server = await createForgeServer({ ...forge.ports, serverStatus: serverStatus });
    try {
      const cookie = [...administrator.cookies]
        .map(([name, value]) => `${name}=${value}`)
        .join('; ');
      const headers = { cookie, host: 'forge.test' };
      const { body } = await server.inject({ url: '/-/admin', headers });
      assert.match(
        body,
        /Asynchronous events of functions[^]*name="queue" value="function_events"/,
      );
      assert.doesNotMatch(body, /value="durable_executions"/);
      const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(body) ?? [];
      const payload = new URLSearchParams({ form_token: token, queue: 'function_events' });
      const sent = await server.inject({
        method: 'POST',
        url: '/-/admin/queues/retry',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: payload.toString(),
      });
      assert.equal(sent.statusCode, 303, sent.body);
      assert.deepEqual(asked, ['function_events']);
    } finally {
      await server.close();
    }
  });
});
