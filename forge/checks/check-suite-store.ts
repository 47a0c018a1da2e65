import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import type { CheckSuite } from '../model/check-run.ts';
import { statesOfSuites } from './check-store.ts';

interface CheckSuiteRow {
  id: number;
  repository_id: number;
  app_id: number;
  head_sha: ObjectId;
  head_branch: string | null;
  created_at: number;
  updated_at: number;
}

const columns =
  's.id, s.repository_id, s.app_id, s.head_sha, s.head_branch, s.created_at, s.updated_at';

export interface SuiteKey {
  readonly repositoryId: number;
  readonly appId: number;
  readonly sha: ObjectId;
}

/** The suite of an App for a commit, which is created if there is none. */
export async function ensureSuite(
  sql: RepositoryWrite,
  { repositoryId, appId, sha }: SuiteKey,
  branch: string | null,
  now: number,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into check_suites (repository_id, app_id, head_sha, head_branch, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5)
     on conflict (repository_id, head_sha, app_id) do update set updated_at = excluded.updated_at
     returning id`,
    repositoryId,
    appId,
    sha,
    branch,
    now,
  );
  if (!row) throw new Error('insert into check_suites returned no row');
  return row.id;
}

export async function findSuite(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<CheckSuite | undefined> {
  const row = await sql.get<CheckSuiteRow>(
    `select ${columns} from check_suites s where s.id = $1 and s.repository_id = $2`,
    id,
    repositoryId,
  );
  return row && (await suitesFromRows(sql, [row]))[0];
}

/** Of a commit, oldest first. */
export async function listSuites(
  sql: Sql,
  filter: {
    readonly repositoryId: number;
    readonly sha: ObjectId;
    readonly appId: number | undefined;
    /** Only those with a run of this name. */
    readonly checkName: string | undefined;
  },
  page: PageBounds,
): Promise<{ suites: CheckSuite[]; total: number }> {
  const values: (string | number)[] = [filter.repositoryId, filter.sha];
  const conditions = ['s.repository_id = $1 and s.head_sha = $2'];
  if (filter.appId !== undefined) conditions.push(`s.app_id = $${values.push(filter.appId)}`);
  if (filter.checkName !== undefined) {
    const parameter = `$${values.push(filter.checkName)}`;
    conditions.push(
      `exists (select 1 from check_runs c where c.suite_id = s.id and c.name = ${parameter})`,
    );
  }
  const list = {
    columns,
    from: `check_suites s where ${conditions.join(' and ')}`,
    values,
    order: 's.id',
  };
  const { rows, total } = await selectPage<CheckSuiteRow>(sql, list, page);
  return { suites: await suitesFromRows(sql, rows), total };
}

async function suitesFromRows(sql: Sql, rows: readonly CheckSuiteRow[]): Promise<CheckSuite[]> {
  const states = await statesOfSuites(
    sql,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    repositoryId: row.repository_id,
    appId: row.app_id,
    sha: row.head_sha,
    branch: row.head_branch,
    states: states.get(row.id) ?? [],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}
