import type { Database } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { type RepositoryWrite, writeRepository } from '../events/invalidate.ts';
import type { Deployment, DeploymentStatus, DeploymentStatusInput } from '../model/deployment.ts';
import { insertDeploymentStatus } from './deployment-status-store.ts';
import { findDeployment, replacedDeployments } from './deployment-store.ts';

export interface DeploymentReport {
  readonly repositoryId: number;
  readonly deploymentId: number;
  readonly actorId: number;
  readonly input: DeploymentStatusInput;
  readonly now: number;
}

/** Adds a status to a deployment. A success ends the earlier ones in the environment. */
export function createDeploymentStatus(
  database: Pick<Database, 'write'>,
  { repositoryId, deploymentId, actorId, input, now }: DeploymentReport,
): Promise<DeploymentStatus> {
  return writeRepository(database, repositoryId, async (sql) => {
    const deployment = (await findDeployment(sql, repositoryId, deploymentId)) ?? notFound();
    const { state, description, logUrl, environmentUrl } = input;
    const environment = input.environment ?? deployment.environment;
    const reported = { state, description, environment, logUrl, environmentUrl };
    const common = { creatorId: actorId, createdAt: now };
    const status = await addStatus(sql, deployment, { ...reported, ...common });
    if (state === 'success' && input.autoInactive) {
      for (const replaced of await replacedDeployments(sql, { ...deployment, environment })) {
        const ended = {
          state: 'inactive',
          description: '',
          logUrl: '',
          environmentUrl: '',
        } as const;
        await addStatus(sql, replaced, { ...ended, environment, ...common });
      }
    }
    return status;
  });
}

async function addStatus(
  sql: RepositoryWrite,
  deployment: Deployment,
  reported: Omit<DeploymentStatus, 'id' | 'deploymentId'>,
): Promise<DeploymentStatus> {
  const { id: deploymentId, repositoryId } = deployment;
  const status = await insertDeploymentStatus(sql, deployment, { ...reported, deploymentId });
  const { creatorId: actorId, createdAt } = reported;
  await emitEvent(
    sql,
    repositoryId,
    { event: 'deployment_status', action: 'created', deploymentId, statusId: status.id, actorId },
    createdAt,
  );
  return status;
}
