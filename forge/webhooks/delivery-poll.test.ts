import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { genericPlan } from '#platform/testing/generic-plan.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { webhooksWithCapacity } from './delivery-claim-store.ts';

const isSqlite = testPostgresUrl === undefined;

describe('the poll for due deliveries', () => {
  let forge: TestForge;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
  });
  after(async () => {
    await forge.close();
  });

  test(
    'reads by indexes, whatever else is stored',
    { skip: isSqlite && 'this is about the planner of PostgreSQL' },
    async () => {
      const owner = await forge.user('own');
      const path = `/repos/${await forge.repository(owner)}/hooks`;
      const { id } = (await owner.post(path, { config: { url: 'http://127.0.0.1:9/' } })).body;
      await forge.database.write(async (sql) => {
        await sql.run(
          `insert into webhook_deliveries (webhook_id, event, facts, created_at)
           select cast($1 as bigint), 'ping', '{}', 0 from generate_series(1, 5000)`,
          id,
        );
      });
      await forge.database.write((sql) => sql.all('analyze webhook_deliveries'));
      for (const heldCount of [0, 40]) {
        const held = new Map(Array.from({ length: heldCount }, (_, index) => [index + 1, 1]));
        const by = { now: forge.clock.now(), most: { toOne: 4, inAll: 64 }, held };
        const plan = await genericPlan(forge.database, (sql) => webhooksWithCapacity(sql, by));
        assert.match(plan, /webhook_deliveries_due/);
        assert.doesNotMatch(plan, /Seq Scan on webhook_deliveries/);
      }
    },
  );
});
