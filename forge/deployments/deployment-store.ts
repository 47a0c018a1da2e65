import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import type { Deployment, DeploymentState } from '../model/deployment.ts';
import { putEnvironment } from './environment-store.ts';

interface DeploymentRow {
  id: number;
  repository_id: number;
  creator_id: number;
  commit_sha: ObjectId;
  ref: string;
  task: string;
  payload: string;
  original_environment: string;
  environment: string;
  description: string | null;
  transient: number;
  production: number;
  state: DeploymentState | null;
  created_at: number;
  updated_at: number;
}

const columns = `d.id, d.repository_id, d.creator_id, d.commit_sha, d.ref, d.task, d.payload, d.original_environment,
  d.environment, d.description, d.transient, d.production, d.state, d.created_at, d.updated_at`;

/** What the deployments of a list have in common; all of them without any. */
export interface DeploymentFilter {
  readonly sha?: string | undefined;
  readonly ref?: string | undefined;
  readonly task?: string | undefined;
  readonly environment?: string | undefined;
}

/** The latest first. */
export async function listDeployments(
  sql: Sql,
  repositoryId: number,
  filter: DeploymentFilter,
  page: PageBounds,
): Promise<{ deployments: Deployment[]; total: number }> {
  const conditions = [
    ['d.commit_sha', filter.sha],
    ['d.ref', filter.ref],
    ['d.task', filter.task],
    ['d.environment', filter.environment],
  ] as const;
  const wanted = conditions.flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }],
  );
  const list = {
    columns,
    from: `deployments d where d.repository_id = $1
      ${wanted.map(({ column }, index) => `and ${column} = $${index + 2}`).join(' ')}`,
    values: [repositoryId, ...wanted.map(({ value }) => value)],
    order: 'd.id desc',
  };
  const { rows, total } = await selectPage<DeploymentRow>(sql, list, page);
  return { deployments: rows.map(deploymentFromRow), total };
}

export async function findDeployment(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<Deployment | undefined> {
  const row = await sql.get<DeploymentRow>(
    `select ${columns} from deployments d where d.repository_id = $1 and d.id = $2`,
    repositoryId,
    id,
  );
  return row && deploymentFromRow(row);
}

/** Whether a repository has another deployment than this one. */
export async function hasOtherDeployment(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from deployments where repository_id = $1 and id <> $2 limit 1`,
    repositoryId,
    id,
  );
  return row !== undefined;
}

/** The successful deployments that a new one in the environment replaces, the latest of them. */
export async function replacedDeployments(
  sql: Sql,
  { id, repositoryId, environment }: Pick<Deployment, 'id' | 'repositoryId' | 'environment'>,
): Promise<Deployment[]> {
  const rows = await sql.all<DeploymentRow>(
    `select ${columns} from deployments d
     where d.repository_id = $1 and d.environment = $2 and d.state = 'success' and d.id < $3
       and d.transient = 0 and d.production = 0
     order by d.id desc limit ${replacedMax}`,
    repositoryId,
    environment,
    id,
  );
  return rows.map(deploymentFromRow);
}

/**
 * Earlier deployments, the latest ones, that a success makes inactive. There is usually one, and more only where clients
 * prevent that.
 */
const replacedMax = 100;

export async function insertDeployment(
  sql: RepositoryWrite,
  deployment: Omit<Deployment, 'id' | 'environment' | 'state' | 'updatedAt'>,
): Promise<Deployment> {
  const { repositoryId, originalEnvironment, createdAt } = deployment;
  await putEnvironment(sql, repositoryId, originalEnvironment, createdAt);
  const row = await sql.get<DeploymentRow>(
    `insert into deployments
       (repository_id, creator_id, commit_sha, ref, task, payload, original_environment, environment, description,
        transient, production, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $11) returning ${columns.replaceAll('d.', '')}`,
    repositoryId,
    deployment.creatorId,
    deployment.sha,
    deployment.ref,
    deployment.task,
    deployment.payload,
    originalEnvironment,
    deployment.description,
    Number(deployment.transient),
    Number(deployment.production),
    createdAt,
  );
  if (!row) throw new Error('insert into deployments returned no row');
  return deploymentFromRow(row);
}

export async function deleteDeployment(sql: RepositoryWrite, id: number): Promise<void> {
  await sql.run(`delete from deployments where id = $1`, id);
}

function deploymentFromRow(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    creatorId: row.creator_id,
    sha: row.commit_sha,
    ref: row.ref,
    task: row.task,
    payload: row.payload,
    originalEnvironment: row.original_environment,
    environment: row.environment,
    description: row.description,
    transient: row.transient === 1,
    production: row.production === 1,
    state: row.state,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
