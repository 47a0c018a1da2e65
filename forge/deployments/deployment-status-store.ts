import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { Deployment, DeploymentState, DeploymentStatus } from '../model/deployment.ts';
import { putEnvironment } from './environment-store.ts';

interface StatusRow {
  id: number;
  deployment_id: number;
  creator_id: number;
  state: DeploymentState;
  description: string;
  environment: string;
  log_url: string;
  environment_url: string;
  created_at: number;
}

const statusColumns = `s.id, s.deployment_id, s.creator_id, s.state, s.description, s.environment, s.log_url,
  s.environment_url, s.created_at`;

/** The latest first. */
export async function listDeploymentStatuses(
  sql: Sql,
  deploymentId: number,
  page: PageBounds,
): Promise<{ statuses: DeploymentStatus[]; total: number }> {
  const list = {
    columns: statusColumns,
    from: `deployment_statuses s where s.deployment_id = $1`,
    values: [deploymentId],
    order: 's.id desc',
  };
  const { rows, total } = await selectPage<StatusRow>(sql, list, page);
  return { statuses: rows.map(statusFromRow), total };
}

/** The latest status of each deployment that has one. */
export async function latestDeploymentStatuses(
  sql: Sql,
  deploymentIds: readonly number[],
): Promise<Map<number, DeploymentStatus>> {
  if (deploymentIds.length === 0) return new Map();
  const rows = await sql.all<StatusRow>(
    `select ${statusColumns} from deployment_statuses s where s.id in
       (select max(l.id) from deployment_statuses l
        where l.deployment_id in (${placeholders(deploymentIds.length)}) group by l.deployment_id)`,
    ...deploymentIds,
  );
  return new Map(rows.map((row) => [row.deployment_id, statusFromRow(row)]));
}

export async function findDeploymentStatus(
  sql: Sql,
  deploymentId: number,
  id: number,
): Promise<DeploymentStatus | undefined> {
  const row = await sql.get<StatusRow>(
    `select ${statusColumns} from deployment_statuses s where s.deployment_id = $1 and s.id = $2`,
    deploymentId,
    id,
  );
  return row && statusFromRow(row);
}

/** Adds a status, whose state and environment become those of its deployment. */
export async function insertDeploymentStatus(
  sql: RepositoryWrite,
  { repositoryId }: Pick<Deployment, 'repositoryId'>,
  status: Omit<DeploymentStatus, 'id'>,
): Promise<DeploymentStatus> {
  const { deploymentId, environment, createdAt } = status;
  await putEnvironment(sql, repositoryId, environment, createdAt);
  const row = await sql.get<{ id: number }>(
    `insert into deployment_statuses
       (deployment_id, creator_id, state, description, environment, log_url, environment_url, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    deploymentId,
    status.creatorId,
    status.state,
    status.description,
    environment,
    status.logUrl,
    status.environmentUrl,
    createdAt,
  );
  if (!row) throw new Error('insert into deployment_statuses returned no row');
  await sql.run(
    `update deployments set state = $2, environment = $3, updated_at = $4 where id = $1`,
    deploymentId,
    status.state,
    environment,
    createdAt,
  );
  return { ...status, id: row.id };
}

function statusFromRow(row: StatusRow): DeploymentStatus {
  return {
    id: row.id,
    deploymentId: row.deployment_id,
    creatorId: row.creator_id,
    state: row.state,
    description: row.description,
    environment: row.environment,
    logUrl: row.log_url,
    environmentUrl: row.environment_url,
    createdAt: row.created_at,
  };
}
