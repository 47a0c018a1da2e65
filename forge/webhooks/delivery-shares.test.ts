import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { readCommitted } from '#platform/database/database.ts';

import { createTestApp } from '../testing/test-app.ts';
import { type SlowReceiver, startSlowReceiver } from '../testing/receiver-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { claimDeliveries, webhooksWithCapacity } from './delivery-claim-store.ts';
import { createDeliverer } from './delivery-worker.ts';

/** Longer than a claim lasts. */
const leaseMilliseconds = 61_000;
const path = (name: string): string => `/repos/${name}/hooks`;

describe('attempts of a server', { timeout: 120_000 }, () => {
  let forge: TestForge;
  let receiver: SlowReceiver;
  let owners = 0;
  let ann: TestUser;
  let bob: TestUser;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    receiver = await startSlowReceiver();
  });
  after(async () => {
    await receiver.close();
    await forge.close();
  });
  beforeEach(async () => {
    owners += 1;
    ann = await forge.user(`ann-${owners}`);
    bob = await forge.user(`bob-${owners}`);
    await forge.database.write((sql) => sql.run('delete from webhook_deliveries'));
  });

  /** Webhooks of one repository, each with the ping of its creation due. */
  async function hooks(owner: TestUser, count: number, name?: string): Promise<number[]> {
    const repository = name ?? (await forge.repository(owner));
    const ids: number[] = [];
    for (let serial = 0; serial < count; serial += 1) {
      const config = { url: `${receiver.url}/${owner.login}/${serial}` };
      ids.push((await owner.post(path(repository), { config })).body.id);
    }
    return ids;
  }

  /** As many deliveries of an owner as a server attempts; what they are of may be deleted by now. */
  function attempted({ account }: TestUser, count: number): [number, number][] {
    return Array.from({ length: count }, (_, index) => [
      1e9 + account.id * 100 + index,
      account.id,
    ]);
  }

  const by = (inAll: number, held: readonly [number, number][] = []) => ({
    serverId: 'a server',
    now: forge.clock.now(),
    most: { toOne: 4, inAll },
    held: new Map(held),
  });

  const withCapacity = (inAll: number, held?: readonly [number, number][]): Promise<number[]> =>
    forge.database.readOne((sql) => webhooksWithCapacity(sql, by(inAll, held)));

  /** The webhooks of what is claimed, and how much it is of each owner. */
  async function claim(
    webhookIds: readonly number[],
    inAll: number,
    held?: readonly [number, number][],
  ): Promise<{ webhookIds: number[]; owners: Map<number, number> }> {
    const { engine } = forge.database;
    const claimed = await forge.database.write(
      (sql) => claimDeliveries(sql, engine, webhookIds, by(inAll, held)),
      readCommitted,
    );
    const counts = Map.groupBy(claimed, ({ ownerId }) => ownerId);
    return {
      webhookIds: claimed.map(({ webhookId }) => webhookId),
      owners: new Map([...counts].map(([ownerId, of]) => [ownerId, of.length])),
    };
  }

  test('leave room for an owner, whatever receivers of another one never answer', async () => {
    for (let count = 0; count < 5; count += 1) await hooks(ann, 20);
    let waiting = 0;
    const busy = Promise.withResolvers<void>();
    const first = Promise.withResolvers<string>();
    receiver.arrived = (of, response) => {
      if (of.startsWith(`/${bob.login}/`)) {
        response.end();
        first.resolve('sent');
        return;
      }
      response.once('close', () => first.resolve('sent when another one had timed out'));
      waiting += 1;
      if (waiting === 32) busy.resolve();
    };
    const deliverer = createDeliverer(
      forge.ports,
      (error) => {
        throw error;
      },
      2 ** 31 - 1,
    );
    deliverer.start();
    await busy.promise;
    await hooks(bob, 1);
    assert.equal(await first.promise, 'sent');
    await deliverer.close();
  });

  test('are for one owner half of those that are free, and the last for who has none', async () => {
    const annIds = await hooks(ann, 20);
    assert.equal((await withCapacity(10)).length, 5);
    assert.deepEqual(await withCapacity(10, attempted(ann, 10)), []);
    assert.deepEqual(await withCapacity(1, attempted(ann, 1)), []);
    assert.deepEqual(await claim(annIds, 10, attempted(ann, 10)), {
      webhookIds: [],
      owners: new Map(),
    });
    forge.clock.advance(1);
    const bobIds = await hooks(bob, 1);
    assert.deepEqual(await withCapacity(1, attempted(ann, 1)), bobIds);
    const { webhookIds } = await claim([...annIds, ...bobIds], 1, attempted(ann, 1));
    assert.deepEqual(webhookIds, bobIds);
  });

  test('begin with the owner who has the fewest, also where another one waits longer', async () => {
    const annIds = await hooks(ann, 8);
    forge.clock.advance(1000);
    const bobIds = await hooks(bob, 8);
    const held = attempted(ann, 2);
    const found = await withCapacity(6, held);
    assert.deepEqual(found, [...bobIds.slice(0, 2), annIds[0], bobIds[2]]);
    const { owners: counts } = await claim([...annIds, ...bobIds], 6, held);
    assert.deepEqual(
      counts,
      new Map([
        [ann.account.id, 1],
        [bob.account.id, 3],
      ]),
    );
  });

  test('are counted in the claim by deliveries, of which a webhook may have several due', async () => {
    const name = await forge.repository(ann);
    const [id] = await hooks(ann, 1, name);
    assert.ok(id !== undefined);
    for (let count = 0; count < 3; count += 1) await ann.post(`${path(name)}/${id}/pings`);
    assert.deepEqual(await withCapacity(4), [id]);
    assert.deepEqual((await claim([id], 4)).webhookIds, [id, id]);
    forge.clock.advance(leaseMilliseconds);
    assert.deepEqual((await claim([id], 20)).webhookIds, [id, id, id, id]);
  });

  test('are those of the owner of an App, wherever it is installed', async () => {
    const { app } = await createTestApp(forge, ann.account.id, { hookUrl: `${receiver.url}/` });
    const hook = await forge.database.readOne((sql) =>
      sql.get<{ id: number }>('select id from webhooks where app_id = $1', app.id),
    );
    assert.ok(hook);
    assert.deepEqual(await withCapacity(4, attempted(ann, 4)), []);
    assert.deepEqual(await withCapacity(4, attempted(bob, 4)), [hook.id]);
    assert.deepEqual([...(await claim([hook.id], 4)).owners.keys()], [ann.account.id]);
  });
});
