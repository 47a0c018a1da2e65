import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import { parsePermissions } from '../model/app.ts';
import type { CheckSuite } from '../model/check-run.ts';
import { statesOfSuites } from './check-store.ts';

interface CheckSuiteRow {
  id: number;
  repository_id: number;
  app_id: number;
  head_sha: ObjectId;
  head_branch: string | null;
  before_sha: ObjectId | null;
  rerequested: number;
  created_at: number;
  updated_at: number;
}

const columns =
  's.id, s.repository_id, s.app_id, s.head_sha, s.head_branch, s.before_sha, s.rerequested, s.created_at, s.updated_at';

export interface SuiteKey {
  readonly repositoryId: number;
  readonly appId: number;
  readonly sha: ObjectId;
}

/** The suite of an App for a commit, one of whose runs changes. It is created if there is none. */
export async function ensureSuite(
  sql: RepositoryWrite,
  { repositoryId, appId, sha }: SuiteKey,
  branch: string | null,
  now: number,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into check_suites (repository_id, app_id, head_sha, head_branch, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5)
     on conflict (repository_id, head_sha, app_id) do update set updated_at = excluded.updated_at, rerequested = 0
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

/** undefined if the App has a suite for the commit. */
export async function createSuite(
  sql: RepositoryWrite,
  { repositoryId, appId, sha }: SuiteKey,
  origin: { readonly branch: string | null; readonly before: ObjectId | null },
  now: number,
): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    `insert into check_suites (repository_id, app_id, head_sha, head_branch, before_sha, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6) on conflict (repository_id, head_sha, app_id) do nothing returning id`,
    repositoryId,
    appId,
    sha,
    origin.branch,
    origin.before,
    now,
  );
  return row?.id;
}

export async function suiteOfCommit(
  sql: Sql,
  { repositoryId, appId, sha }: SuiteKey,
): Promise<CheckSuite | undefined> {
  const row = await sql.get<CheckSuiteRow>(
    `select ${columns} from check_suites s
     where s.repository_id = $1 and s.head_sha = $2 and s.app_id = $3`,
    repositoryId,
    sha,
    appId,
  );
  return row && (await suitesFromRows(sql, [row]))[0];
}

export async function markRerequested(
  sql: RepositoryWrite,
  suiteId: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update check_suites set rerequested = 1, updated_at = $2 where id = $1`,
    suiteId,
    now,
  );
}

/** The Apps that have a suite for each push: they write checks in the repository and have not turned it off. */
export async function appsOfPushes(sql: Sql, repositoryId: number): Promise<number[]> {
  const rows = await sql.all<{ app_id: number; permissions: string }>(
    `select i.app_id, i.permissions from repositories r
       join app_installations i on i.account_id = r.owner_id and i.suspended_at is null
     where r.id = $1
       and (i.repository_selection = 'all' or exists
         (select 1 from app_installation_repositories s where s.installation_id = i.id and s.repository_id = r.id))
       and not exists (select 1 from check_suite_preferences p
         where p.repository_id = r.id and p.app_id = i.app_id and p.automatic = 0)
     order by i.app_id`,
    repositoryId,
  );
  return rows.flatMap((row) =>
    parsePermissions(row.permissions).checks === 'write' ? [row.app_id] : [],
  );
}

export interface SuitePreference {
  readonly appId: number;
  readonly automatic: boolean;
}

export async function putPreference(
  sql: RepositoryWrite,
  repositoryId: number,
  { appId, automatic }: SuitePreference,
): Promise<void> {
  await sql.run(
    `insert into check_suite_preferences (repository_id, app_id, automatic) values ($1, $2, $3)
     on conflict (repository_id, app_id) do update set automatic = excluded.automatic`,
    repositoryId,
    appId,
    Number(automatic),
  );
}

export async function listPreferences(sql: Sql, repositoryId: number): Promise<SuitePreference[]> {
  const rows = await sql.all<{ app_id: number; automatic: number }>(
    `select app_id, automatic from check_suite_preferences where repository_id = $1 order by app_id`,
    repositoryId,
  );
  return rows.map((row) => ({ appId: row.app_id, automatic: row.automatic === 1 }));
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
    before: row.before_sha,
    rerequested: row.rerequested === 1,
    states: states.get(row.id) ?? [],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}
