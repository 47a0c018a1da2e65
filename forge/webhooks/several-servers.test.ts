import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { type Database, readCommitted } from '#platform/database/database.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { type SlowReceiver, startSlowReceiver } from '../testing/receiver-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import {
  claimDeliveries,
  dropDelivery,
  releaseDeliveries,
  releaseInterrupted,
  renewDeliveries,
  countAttempt,
  webhooksWithCapacity,
} from './delivery-claim-store.ts';
import { recordOutcomes } from './delivery-outcome-store.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';
import type { ClaimedDelivery } from './delivery.ts';

/** Longer than a claim lasts. */
const leaseMilliseconds = 61_000;
/** What is sent to one webhook at once. */
const toOneMax = 4;

describe('deliveries of which several servers have the database', { timeout: 120_000 }, () => {
  let forge: TestForge;
  let owner: TestUser;
  let receiver: SlowReceiver;
  const servers: Deliverer[] = [];
  let guids = 0;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('own');
    receiver = await startSlowReceiver();
  });
  after(async () => {
    for (const each of servers) await each.close();
    await receiver.close();
    await forge.close();
  });

  function newServer(serverId: string, database: Database = forge.database): Deliverer {
    const randomBytes = (count: number): Uint8Array => {
      guids += 1;
      return forge.ports.randomBytes(count);
    };
    const ports = { ...forge.ports, database, serverId, randomBytes };
    const server = createDeliverer(ports, (error) => {
      throw error;
    });
    servers.push(server);
    return server;
  }

  /** A webhook with so many pending deliveries. */
  async function hook(owed: number): Promise<number> {
    const path = `/repos/${await forge.repository(owner)}/hooks`;
    const { id } = (await owner.post(path, { config: { url: `${receiver.url}${path}` } })).body;
    // The first is the ping of its creation.
    for (let count = 1; count < owed; count += 1) await owner.post(`${path}/${id}/pings`);
    return id;
  }

  const by = (serverId: string, held: readonly number[] = []) => ({
    serverId,
    now: forge.clock.now(),
    most: { toOne: toOneMax, inAll: 100 },
    held: new Map(held.map((id) => [id, owner.account.id])),
  });

  function claim(
    webhookId: number,
    serverId: string,
    held?: readonly number[],
  ): Promise<ClaimedDelivery[]> {
    return forge.database.write(
      (sql) => claimDeliveries(sql, forge.database.engine, [webhookId], by(serverId, held)),
      readCommitted,
    );
  }

  function room(held?: readonly number[]): Promise<number[]> {
    return forge.database.readOne((sql) => webhooksWithCapacity(sql, by('any', held)));
  }

  test('are claimed up to what one webhook gets at once, by all of them together', async () => {
    const id = await hook(6);
    const other = await hook(1);
    const [first, second] = await Promise.all([claim(id, 'first'), claim(id, 'second')]);
    const all = [...first, ...second, ...(await claim(id, 'third'))];
    assert.equal(all.length, toOneMax);
    assert.equal(new Set(all.map((delivery) => delivery.id)).size, toOneMax);
    assert.deepEqual(await room(), [other], 'a webhook that has no room delays no other');
    const [done] = all;
    assert.ok(done);
    await forge.database.write((sql) => dropDelivery(sql, done));
    assert.deepEqual(await room(), [other, id], 'the one with less under way first');
    assert.equal((await claim(id, 'third')).length, 1);
    // All of them have died.
    forge.clock.advance(leaseMilliseconds);
    assert.equal((await claim(id, 'second')).length, toOneMax);
    forge.clock.advance(leaseMilliseconds);
    await finish();
  });

  test('are claimed in turn, so that webhooks with many due delay no other', async () => {
    const many = [await hook(4), await hook(4), await hook(4)];
    forge.clock.advance(1000);
    const last = await hook(1);
    const all = [...many, last];
    const claimed = await forge.database.write((sql) => {
      // Half of the attempts are for other owners.
      const most = { toOne: toOneMax, inAll: 9 };
      return claimDeliveries(sql, forge.database.engine, all, { ...by('a server'), most });
    }, readCommitted);
    const counts = all.map((id) => claimed.filter(({ webhookId }) => webhookId === id).length);
    assert.deepEqual(counts, [2, 1, 1, 1]);
    forge.clock.advance(leaseMilliseconds);
    await finish();
  });

  test('are not claimed again by the one that attempts them, also when its claims have expired', async () => {
    const id = await hook(6);
    const [first, ...others] = (await claim(id, 'paused')).map((delivery) => delivery.id);
    assert.ok(first !== undefined);
    forge.clock.advance(leaseMilliseconds);
    assert.deepEqual(await room([first, ...others]), [], 'they take the room of the webhook');
    assert.deepEqual(await claim(id, 'paused', [first, ...others]), []);
    assert.deepEqual(await room(others), [id]);
    const more = await claim(id, 'paused', others);
    assert.equal(more.length, 1);
    assert.ok(more.every((delivery) => !others.includes(delivery.id)));
    forge.clock.advance(leaseMilliseconds);
    await finish();
  });

  test('are released after a failure only by the claim that it interrupted', async () => {
    const id = await hook(1);
    const pause = 5_000;
    const [interrupted] = await claim(id, 'a server');
    forge.clock.advance(leaseMilliseconds);
    const [running] = await claim(id, 'a server');
    assert.ok(interrupted && running);
    const release = (delivery: ClaimedDelivery): Promise<void> =>
      forge.database.write((sql) => releaseInterrupted(sql, delivery, false, forge.clock.now()));
    await release(interrupted);
    forge.clock.advance(pause);
    assert.deepEqual(await claim(id, 'other'), []);
    await release(running);
    assert.deepEqual(await claim(id, 'other'), [], 'before its pause is over');
    forge.clock.advance(pause);
    assert.equal((await claim(id, 'other')).length, 1);
    forge.clock.advance(leaseMilliseconds);
    await finish();
  });

  /** Sends everything that is due. */
  async function finish(): Promise<void> {
    receiver.arrived = (_path, response) => response.end();
    await newServer('last').deliverDue();
  }

  test('are not sent by another one while a webhook has no room', async () => {
    await hook(6);
    const open: ServerResponse[] = [];
    const full = Promise.withResolvers<void>();
    receiver.arrived = (_path, response) => {
      open.push(response);
      assert.ok(open.length <= toOneMax, 'too many at once');
      if (open.length === toOneMax) full.resolve();
    };
    const sending = newServer('first').deliverDue();
    await full.promise;
    await newServer('second').deliverDue();
    assert.equal(open.length, toOneMax);
    let later = 0;
    receiver.arrived = (_path, response) => {
      later += 1;
      response.end();
    };
    for (const response of open) response.end();
    await sending;
    assert.equal(later, 2);
  });

  test('have their content made once, and are sent once', async () => {
    for (let count = 0; count < 4; count += 1) await hook(3);
    guids = 0;
    const open = new Map<string, number>();
    let sent = 0;
    let atOnce = 0;
    receiver.arrived = (path, response) => {
      sent += 1;
      open.set(path, (open.get(path) ?? 0) + 1);
      atOnce = Math.max(atOnce, open.get(path) ?? 0);
      response.once('close', () => open.set(path, (open.get(path) ?? 0) - 1));
      response.end();
    };
    const ids = ['first', 'second', 'third'];
    await Promise.all(ids.map((id) => newServer(id).deliverDue()));
    // What a server left to one that had the rows of the webhook locked.
    await newServer('last').deliverDue();
    assert.deepEqual([guids, sent], [12, 12]);
    assert.ok(atOnce <= toOneMax, `${atOnce} at once`);
  });

  test('are taken over from one that has died', async () => {
    const id = await hook(1);
    assert.equal((await claim(id, 'dead')).length, 1);
    let sent = 0;
    receiver.arrived = (_path, response) => {
      sent += 1;
      response.end();
    };
    const living = newServer('living');
    await living.deliverDue();
    assert.equal(sent, 0);
    // What the node that sees it does.
    const now = forge.clock.now();
    await forge.database.write((sql) => releaseDeliveries(sql, 'dead', now));
    await living.deliverDue();
    assert.equal(sent, 1);
  });

  test('are not written by one that has lost its claim', async () => {
    const id = await hook(1);
    const [lost] = await claim(id, 'first');
    forge.clock.advance(leaseMilliseconds);
    const [held] = await claim(id, 'second');
    assert.ok(lost && held);
    const outcome = (status: string) => ({
      at: forge.clock.now(),
      milliseconds: 1,
      code: 200,
      status,
      requestHeaders: {},
      responseHeaders: {},
      responseBody: '',
    });
    const most = { before: 0, bytes: 1_000_000 };
    await forge.database.write(async (sql) => {
      const now = forge.clock.now();
      assert.equal(await countAttempt(sql, lost, now, { guid: 'lost', payload: '{}' }), false);
      assert.equal(await countAttempt(sql, held, now, { guid: 'held', payload: '{}' }), true);
      assert.equal(await dropDelivery(sql, lost), false);
      const attempts = [lost, held].map((delivery) => ({
        delivery,
        outcome: outcome(delivery === lost ? 'lost' : 'held'),
      }));
      assert.deepEqual([...(await recordOutcomes(sql, attempts, most))], [held]);
      const row = await sql.get<{ guid: string; status: string; attempts: number }>(
        'select guid, status, attempts from webhook_deliveries where id = $1',
        held.id,
      );
      assert.deepEqual({ ...row }, { guid: 'held', status: 'held', attempts: 1 });
    });
  });

  test('stay with the one that takes long to prepare them', async () => {
    const id = await hook(1);
    const [slow] = await claim(id, 'slow');
    assert.ok(slow);
    forge.clock.advance(leaseMilliseconds / 2);
    const now = forge.clock.now();
    await renew('other', [slow.id], now + 1e6);
    await renew('slow', [slow.id], now);
    forge.clock.advance(leaseMilliseconds / 2 + 1);
    assert.deepEqual(await claim(id, 'other'), []);
    forge.clock.advance(leaseMilliseconds);
    await finish();
  });

  function renew(serverId: string, ids: readonly number[], now: number): Promise<void> {
    const { engine } = forge.database;
    return forge.database.write(
      (sql) => renewDeliveries(sql, engine, { serverId, ids, now }),
      readCommitted,
    );
  }

  const isSqlite = testPostgresUrl === undefined;

  test(
    'are renewed without waiting for those that are being written',
    { skip: isSqlite && 'SQLite has a single writer' },
    async () => {
      const id = await hook(2);
      const [one, other] = await claim(id, 'a server');
      assert.ok(one && other);
      const now = forge.clock.now();
      const content = { guid: 'guid', payload: '{}' };
      await forge.database.write(async (sql) => {
        assert.ok(await countAttempt(sql, other, now, content));
        await renew('a server', [one.id, other.id], now + 1000);
        assert.ok(await countAttempt(sql, one, now, content));
      }, readCommitted);
      forge.clock.advance(leaseMilliseconds);
      await finish();
    },
  );

  test('are left to others when a server that has claimed them is closed', async () => {
    await hook(2);
    let sent = 0;
    receiver.arrived = (_path, response) => {
      sent += 1;
      response.end();
    };
    let closed: Promise<void> | undefined;
    const write: Database['write'] = async (work, options) => {
      const result = await forge.database.write(work, options);
      closed ??= closing.close();
      return result;
    };
    const database = Object.assign(Object.create(forge.database), { write });
    const closing = newServer('closing', database);
    await closing.deliverDue();
    await closed;
    assert.equal(sent, 0);
    await newServer('next').deliverDue();
    assert.equal(sent, 2);
  });
});
