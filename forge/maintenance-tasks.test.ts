import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createLog } from '#platform/log.ts';

import { removeOldRows } from './maintenance-tasks.ts';
import { commitFiles } from './testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from './testing/test-forge.ts';

describe('rows that are shown no more', () => {
  const day = 24 * 3_600_000;
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  async function count(table: 'webhook_deliveries' | 'activities'): Promise<number> {
    const row = await forge.database.read((sql) =>
      sql.get<{ n: number }>(`select count(*) as n from ${table}`),
    );
    return row?.n ?? 0;
  }

  /** Deliveries of a webhook that were sent, and one that is pending. */
  async function deliveries(name: string, sent: number): Promise<void> {
    const config = { url: 'https://example.test/' };
    const hook = await owner.post(`/repos/${name}/hooks`, { config, events: ['push'] });
    assert.equal(hook.status, 201, hook.text);
    await forge.database.write(async (sql) => {
      const insert = (dueAt: number | null): Promise<number> =>
        sql.run(
          `insert into webhook_deliveries (webhook_id, event, facts, due_at, created_at)
           values ($1, 'push', '{}', $2, $3)`,
          hook.body.id,
          dueAt,
          forge.clock.now(),
        );
      await sql.run(`delete from webhook_deliveries`);
      await insert(forge.clock.now());
      for (let one = 0; one < sent; one += 1) await insert(null);
    });
  }

  test('are removed in all batches there are, and those that are due or new stay', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { a: 'x\n' });
    await deliveries(name, 1200);
    const activities = await count('activities');
    assert.ok(activities > 0);
    const lines: any[] = [];
    const log = createLog('info', (line) => lines.push(JSON.parse(line)));
    await removeOldRows(forge.ports, log);
    assert.equal(await count('webhook_deliveries'), 1201);
    assert.equal(lines.length, 0);
    forge.clock.advance(31 * day);
    await removeOldRows(forge.ports, log);
    assert.equal(await count('webhook_deliveries'), 1);
    assert.equal(await count('activities'), activities);
    forge.clock.advance(60 * day);
    await commitFiles(forge, name, 'main', { b: 'x\n' });
    await removeOldRows(forge.ports, log);
    assert.equal(await count('activities'), 1);
    assert.deepEqual(
      lines.map((line) => [line.msg, line.deliveries, line.activities]),
      [
        ['removed old rows', 1200, 0],
        ['removed old rows', 0, activities],
      ],
    );
    assert.equal((await owner.get(`/repos/${name}/events`)).body.length, 1);
  });
});
