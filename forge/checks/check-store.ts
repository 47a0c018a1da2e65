import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import {
  type CheckAction,
  type CheckAnnotation,
  type CheckConclusion,
  type CheckRun,
  type CheckState,
  type CheckStatus,
  asCommitStatus,
} from '../model/check-run.ts';

interface CheckRunRow {
  id: number;
  suite_id: number;
  repository_id: number;
  app_id: number;
  head_sha: ObjectId;
  name: string;
  status: CheckStatus;
  conclusion: CheckConclusion | null;
  details_url: string | null;
  external_id: string | null;
  started_at: number | null;
  completed_at: number | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  annotations: number;
  actions: string;
}

const columns = `c.id, c.suite_id, c.repository_id, c.app_id, c.head_sha, c.name, c.status, c.conclusion, c.details_url,
  c.external_id, c.started_at, c.completed_at, c.title, c.summary, c.text, c.annotations, c.actions`;

export type NewCheckRun = Omit<CheckRun, 'id' | 'annotations'>;

/** Adds a run, which supersedes the App's earlier ones of this name for the commit. */
export async function insertCheckRun(sql: RepositoryWrite, run: NewCheckRun): Promise<number> {
  await sql.run(
    `update check_runs set latest = 0
     where repository_id = $1 and head_sha = $2 and app_id = $3 and name = $4 and latest = 1`,
    run.repositoryId,
    run.sha,
    run.appId,
    run.name,
  );
  const row = await sql.get<{ id: number }>(
    `insert into check_runs
       (suite_id, repository_id, app_id, head_sha, name, status, conclusion, details_url, external_id, started_at,
        completed_at, title, summary, text, actions, latest)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 1) returning id`,
    run.suiteId,
    run.repositoryId,
    run.appId,
    run.sha,
    run.name,
    ...changeable(run),
  );
  if (!row) throw new Error('insert into check_runs returned no row');
  return row.id;
}

/** With another name, it supersedes the App's other run of that name. */
export async function updateCheckRun(sql: RepositoryWrite, run: CheckRun): Promise<void> {
  await sql.run(
    `update check_runs set latest = 0
     where repository_id = $1 and head_sha = $2 and app_id = $3 and name = $4 and latest = 1 and id < $5`,
    run.repositoryId,
    run.sha,
    run.appId,
    run.name,
    run.id,
  );
  await sql.run(
    `update check_runs set name = $2, status = $3, conclusion = $4, details_url = $5, external_id = $6,
       started_at = $7, completed_at = $8, title = $9, summary = $10, text = $11, actions = $12
     where id = $1`,
    run.id,
    run.name,
    ...changeable(run),
  );
}

export async function insertAnnotations(
  sql: RepositoryWrite,
  runId: number,
  annotations: readonly CheckAnnotation[],
): Promise<void> {
  if (annotations.length === 0) return;
  await sql.run(
    `update check_runs set annotations = annotations + $2 where id = $1`,
    runId,
    annotations.length,
  );
  for (const annotation of annotations) {
    await sql.run(
      `insert into check_annotations (run_id, annotation) values ($1, $2)`,
      runId,
      JSON.stringify(annotation),
    );
  }
}

export async function findCheckRun(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<CheckRun | undefined> {
  const row = await sql.get<CheckRunRow>(
    `select ${columns} from check_runs c where c.id = $1 and c.repository_id = $2`,
    id,
    repositoryId,
  );
  return row && runFromRow(row);
}

export interface CheckRunFilter {
  readonly repositoryId: number;
  readonly of: { readonly sha: ObjectId } | { readonly suiteId: number };
  /** Only the latest run of each name. */
  readonly latest: boolean;
  readonly name: string | undefined;
  readonly status: CheckStatus | undefined;
  readonly appId: number | undefined;
}

/** Newest first. */
export async function listCheckRuns(
  sql: Sql,
  filter: CheckRunFilter,
  page: PageBounds,
): Promise<{ runs: CheckRun[]; total: number }> {
  const values: (string | number)[] = [filter.repositoryId];
  const where = (column: string, value: string | number | undefined): string =>
    value === undefined ? '' : ` and c.${column} = $${values.push(value)}`;
  const { of } = filter;
  const conditions = [
    'sha' in of ? where('head_sha', of.sha) : where('suite_id', of.suiteId),
    where('latest', filter.latest ? 1 : undefined),
    where('name', filter.name),
    where('status', filter.status),
    where('app_id', filter.appId),
  ];
  const list = {
    columns,
    from: `check_runs c where c.repository_id = $1${conditions.join('')}`,
    values,
    order: 'c.id desc',
  };
  const { rows, total } = await selectPage<CheckRunRow>(sql, list, page);
  return { runs: rows.map(runFromRow), total };
}

/** The latest run of each name and App for several commits, the oldest first. */
export async function latestCheckRuns(
  sql: Sql,
  repositoryId: number,
  shas: Iterable<ObjectId>,
): Promise<Map<ObjectId, CheckRun[]>> {
  const unique = [...new Set(shas)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<CheckRunRow>(
    `select ${columns} from check_runs c
     where c.repository_id = $1 and c.latest = 1 and c.head_sha in (${placeholders(unique.length, 2)})
     order by c.id`,
    repositoryId,
    ...unique,
  );
  return Map.groupBy(rows.map(runFromRow), ({ sha }) => sha);
}

/** In the order in which they were sent. */
export async function listAnnotations(
  sql: Sql,
  runId: number,
  page: PageBounds,
): Promise<{ annotations: CheckAnnotation[]; total: number }> {
  const list = {
    columns: 'n.annotation',
    from: 'check_annotations n where n.run_id = $1',
    values: [runId],
    order: 'n.id',
  };
  const { rows, total } = await selectPage<{ annotation: string }>(sql, list, page);
  // As insertAnnotations() wrote them.
  const annotations = rows.map((row): CheckAnnotation => JSON.parse(row.annotation));
  return { annotations, total };
}

/** What the latest run of each name and App comes to, for some commits. */
export async function latestCheckStates(
  sql: Sql,
  repositoryId: number,
  shas: readonly ObjectId[],
): Promise<
  { sha: ObjectId; name: string; appId: number; state: 'pending' | 'failure' | 'success' }[]
> {
  if (shas.length === 0) return [];
  const rows = await sql.all<
    Pick<CheckRunRow, 'head_sha' | 'name' | 'app_id' | 'status' | 'conclusion'>
  >(
    `select head_sha, name, app_id, status, conclusion from check_runs
     where repository_id = $1 and latest = 1 and head_sha in (${placeholders(shas.length, 2)})`,
    repositoryId,
    ...shas,
  );
  return rows.map((row) => ({
    sha: row.head_sha,
    name: row.name,
    appId: row.app_id,
    state: asCommitStatus(stateFromRow(row)),
  }));
}

/** The App that created the last run of this name in a repository. */
export async function lastAppOfCheck(
  sql: Sql,
  repositoryId: number,
  name: string,
): Promise<number | undefined> {
  const row = await sql.get<{ app_id: number }>(
    `select app_id from check_runs where repository_id = $1 and name = $2 order by id desc limit 1`,
    repositoryId,
    name,
  );
  return row?.app_id;
}

/** The states of the latest runs of suites. */
export async function statesOfSuites(
  sql: Sql,
  suiteIds: readonly number[],
): Promise<Map<number, CheckState[]>> {
  const states = new Map<number, CheckState[]>(suiteIds.map((id) => [id, []]));
  if (suiteIds.length === 0) return states;
  const rows = await sql.all<Pick<CheckRunRow, 'suite_id' | 'status' | 'conclusion'>>(
    `select suite_id, status, conclusion from check_runs
     where latest = 1 and suite_id in (${placeholders(suiteIds.length)})`,
    ...suiteIds,
  );
  for (const row of rows) states.get(row.suite_id)?.push(stateFromRow(row));
  return states;
}

function changeable(run: NewCheckRun): readonly (string | number | null)[] {
  return [
    run.state.status,
    run.state.conclusion,
    run.detailsUrl,
    run.externalId,
    run.startedAt,
    run.completedAt,
    run.output.title,
    run.output.summary,
    run.output.text,
    JSON.stringify(run.actions),
  ];
}

function runFromRow(row: CheckRunRow): CheckRun {
  const actions: readonly CheckAction[] = JSON.parse(row.actions);
  return {
    id: row.id,
    suiteId: row.suite_id,
    repositoryId: row.repository_id,
    appId: row.app_id,
    sha: row.head_sha,
    name: row.name,
    state: stateFromRow(row),
    detailsUrl: row.details_url,
    externalId: row.external_id,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    output: { title: row.title, summary: row.summary, text: row.text },
    annotations: row.annotations,
    actions,
  };
}

function stateFromRow({
  status,
  conclusion,
}: Pick<CheckRunRow, 'status' | 'conclusion'>): CheckState {
  if (status !== 'completed') return { status, conclusion: null };
  if (conclusion === null) throw new Error('a completed check run has no conclusion');
  return { status, conclusion };
}
