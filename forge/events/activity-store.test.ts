import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database, Sql } from '#platform/database/database.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { type ActivitySource, activitiesFrom } from './activity-store.ts';
import { activitiesMax } from './activity.ts';

/** More than a list has entries. */
const repositories = 320;

describe('the events of many repositories', () => {
  let database: Database;

  before(async () => {
    database = await openTestDatabase();
    await database.write(async (sql) => {
      await sql.run(
        `insert into accounts (kind, login, login_key, created_at, updated_at)
         values ('user', 'owner', 'owner', 0, 0)`,
      );
      await sql.run('insert into networks (version) values (1)');
      for (const [name, count, isPrivate, state] of [
        ['public', repositories, 0, 'ready'],
        ['private', 1, 1, 'ready'],
        ['deleted', 1, 0, 'deleting'],
      ] as const) {
        await sql.run(
          `${counter}
           insert into repositories
             (network_id, owner_id, name, name_key, state, private, default_branch, created_at, updated_at)
           select w.id, a.id, '${name}' || n, '${name}' || n, '${state}', ${isPrivate}, 'main', 0, 0
           from counter, networks w, accounts a`,
          count,
        );
      }
      // In turns; the last of them has more events than a list.
      await happen(sql, `r.name = 'public' || (n % ${repositories - 20})`, 1000);
      await happen(sql, `r.name = 'public${repositories}'`, activitiesMax + 50);
      await happen(sql, `r.name = 'public' || (n % 299)`, 290);
      await happen(sql, `r.name = 'deleted1'`, 10);
    });
  });
  after(() => database.close());

  async function happen(sql: Sql, where: string, count: number): Promise<void> {
    await sql.run(
      `${counter}
       insert into activities (repository_id, type, facts, created_at)
       select r.id, 'PushEvent', '{}', 0 from counter join repositories r on ${where} order by n`,
      count,
    );
  }

  const sources: readonly ActivitySource[] = [
    { kind: 'everywhere' },
    { kind: 'owned', accountId: 1 },
    { kind: 'network', networkId: 1 },
  ];

  /** The ids of a list, and the statements that it took. */
  async function listed(source: ActivitySource): Promise<{ ids: number[]; statements: string[] }> {
    const statements: string[] = [];
    const activities = await database.read((sql) => {
      const watched: Sql = {
        ...sql,
        get: (text, ...values) => sql.get(text, ...values),
        all: (text, ...values) => {
          statements.push(text);
          return sql.all(text, ...values);
        },
      };
      return activitiesFrom(watched, source, { since: 0, publicOnly: true });
    });
    return { ids: activities.map(({ id }) => id), statements };
  }

  async function expected(): Promise<number[]> {
    const rows = await database.read((sql) =>
      sql.all<{ id: number }>(
        `select e.id from activities e join repositories r on r.id = e.repository_id
         where r.private = 0 and r.state = 'ready' order by e.id desc limit ${activitiesMax}`,
      ),
    );
    return rows.map(({ id }) => id);
  }

  test('are the latest of all of them', async () => {
    for (const source of sources) {
      assert.deepEqual((await listed(source)).ids, await expected(), source.kind);
    }
  });

  test('of every repository are found without a look at each repository', async () => {
    const { statements } = await listed({ kind: 'everywhere' });
    assert.doesNotMatch(statements.join('\n'), /max\(/);
  });

  test('are the latest of all of them, however much happens in others', async () => {
    await database.write((sql) => happen(sql, `r.name = 'private1'`, 3100));
    for (const source of sources) {
      assert.deepEqual((await listed(source)).ids, await expected(), source.kind);
    }
  });
});

/** The numbers from 1 to the first parameter. */
const counter = `with recursive counter (n) as (
  select cast(1 as bigint) union all select n + 1 from counter where n < $1)`;
