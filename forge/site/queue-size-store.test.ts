import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { insertIntent } from '../ref-updates/intent-store.ts';
import { forgeQueues } from './queue-size-store.ts';

describe('the queues of the forge', () => {
  let forge: TestForge;
  let owner: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  it('count what is pending, and since when', async () => {
    const { database, clock } = forge.ports;
    const empty = { items: 0, retrying: 0, oldestAt: undefined };
    assert.deepEqual(await database.read(forgeQueues), [
      { queue: 'webhook_deliveries', ...empty },
      { queue: 'ref_intents', ...empty },
    ]);
    const name = await forge.repository(owner);
    const createdAt = clock.now();
    // Its ping is pending.
    await owner.post(`/repos/${name}/hooks`, { config: { url: 'http://receiver.test/' } });
    await database.write(async (sql) => {
      const row = await sql.get<{ id: number }>('select id from repositories');
      const repositoryId = row?.id ?? 0;
      const intent = { repositoryId, kind: 'push', refs: [], merge: undefined } as const;
      await insertIntent(sql, { ...intent, now: createdAt });
      await insertIntent(sql, { ...intent, now: createdAt + 5000 });
      await sql.run('update webhook_deliveries set attempts = 2');
    });
    assert.deepEqual(await database.read(forgeQueues), [
      { queue: 'webhook_deliveries', items: 1, retrying: 1, oldestAt: createdAt },
      { queue: 'ref_intents', items: 2, retrying: 0, oldestAt: createdAt },
    ]);
    await database.write((sql) => sql.run('update webhook_deliveries set due_at = null'));
    const [deliveries] = await database.read(forgeQueues);
    assert.deepEqual(deliveries, { queue: 'webhook_deliveries', ...empty }, 'it was delivered');
  });
});
