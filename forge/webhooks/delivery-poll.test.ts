import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Row, Sql, SqlValue } from '#platform/database/database.ts';
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
        const plan = await genericPlan(heldCount);
        assert.match(plan, /webhook_deliveries_due/);
        assert.doesNotMatch(plan, /Seq Scan on webhook_deliveries/);
      }
    },
  );

  /** As a connection plans it for all later executions, without the values. */
  async function genericPlan(heldCount: number): Promise<string> {
    const held = new Map(Array.from({ length: heldCount }, (_, index) => [index + 1, 1]));
    const by = { now: forge.clock.now(), most: { toOne: 4, inAll: 64 }, held };
    return forge.database.write(async (sql) => {
      let text = '';
      const values: SqlValue[] = [];
      const recording: Sql = {
        ...sql,
        all: <R extends object = Row>(asked: string, ...given: readonly SqlValue[]) => {
          text = asked;
          values.push(...given);
          return sql.all<R>(asked, ...given);
        },
      };
      await webhooksWithCapacity(recording, by);
      await sql.run('set local plan_cache_mode = force_generic_plan');
      await sql.run(`prepare look as ${text}`);
      const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
      const rows = await sql.all<{ 'QUERY PLAN': string }>(
        `explain execute look (${shown.join(', ')})`,
      );
      await sql.run('deallocate look');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  }
});
