import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { claimDeliveries } from './delivery-claim-store.ts';
import { forgetDeliveries, recordOutcomes } from './delivery-outcome-store.ts';
import { removeOldDeliveries } from './delivery-store.ts';

describe('what is stored of the deliveries of a webhook', () => {
  let forge: TestForge;
  let owner: TestUser;
  let webhookId: number;
  let path: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    path = `/repos/${await forge.repository(owner)}`;
    const config = { url: 'https://example.test/hook' };
    webhookId = (await owner.post(`${path}/hooks`, { config, events: ['issues'] })).body.id;
  });
  after(() => forge.close());

  /** A delivery whose receiver answers with so much, when what was created before a time is too old. */
  async function deliver(characters: number, tooOld = 0): Promise<void> {
    const { engine } = forge.database;
    const outcome = {
      at: forge.clock.now(),
      milliseconds: 1,
      code: 200,
      status: 'OK',
      requestHeaders: {},
      responseHeaders: {},
      responseBody: 'x'.repeat(characters),
    };
    await forge.database.write(async (sql) => {
      const most = { toOne: 1, inAll: 1 };
      const by = {
        serverId: 'a server',
        now: forge.clock.now(),
        most,
        held: new Map<number, number>(),
      };
      const [delivery] = await claimDeliveries(sql, engine, [webhookId], by);
      assert.ok(delivery, 'none is due');
      await recordOutcomes(sql, [{ delivery, outcome }], { before: tooOld, bytes: 1_000_000 });
    });
  }

  async function stored(): Promise<{ counted: number; found: number; ids: number[] }> {
    return forge.database.read(async (sql) => {
      const hook = await sql.get<{ delivery_bytes: number }>(
        'select delivery_bytes from webhooks where id = $1',
        webhookId,
      );
      const rows = await sql.all<{ id: number; bytes: number }>(
        'select id, bytes from webhook_deliveries where webhook_id = $1 and due_at is null order by id',
        webhookId,
      );
      const found = rows.reduce((sum, { bytes }) => sum + bytes, 0);
      return { counted: hook?.delivery_bytes ?? 0, found, ids: rows.map(({ id }) => id) };
    });
  }

  test('is counted, and the oldest goes where it is too much', async () => {
    // The first is the ping.
    for (const title of ['a', 'b', 'c']) await owner.post(`${path}/issues`, { title });
    for (let count = 0; count < 4; count += 1) await deliver(10_000);
    const all = await stored();
    assert.equal(all.ids.length, 4);
    assert.ok(all.found > 40_000 && all.counted === all.found, JSON.stringify(all));

    const bytesMax = 25_000;
    await forge.database.write((sql) =>
      forgetDeliveries(sql, webhookId, all.counted, { before: 0, bytes: bytesMax }),
    );
    const left = await stored();
    assert.deepEqual(left.ids, all.ids.slice(2));
    assert.ok(left.found <= bytesMax && left.counted === left.found, JSON.stringify(left));
  });

  test('goes with the next outcome when it is too old', async () => {
    const { ids } = await stored();
    forge.clock.advance(1000);
    const created = forge.clock.now();
    for (const title of ['d', 'e']) await owner.post(`${path}/issues`, { title });
    await deliver(10, created - 1000);
    assert.deepEqual((await stored()).ids.slice(0, -1), ids, 'nothing was created before');
    await deliver(10, created);
    const left = await stored();
    assert.equal(left.ids.length, 2);
    assert.ok(left.ids.every((id) => !ids.includes(id)));
    assert.equal(left.counted, left.found);
  });

  test('is counted again without what is removed for its age', async () => {
    const batch = { from: 0, before: forge.clock.now() + 1, batch: 500 };
    await forge.database.write((sql) => removeOldDeliveries(sql, batch));
    assert.deepEqual(await stored(), { counted: 0, found: 0, ids: [] });
  });
});
