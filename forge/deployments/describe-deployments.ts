import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../accounts/account-json.ts';
import { accountsById } from '../accounts/account-store.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { Deployment, DeploymentStatus, Environment } from '../model/deployment.ts';
import { fullName, type Repository } from '../model/repository.ts';

type Representation = { [field: string]: Json };

/** Representations of deployments, in a fixed number of statements. */
export async function describeDeployments(
  sql: Sql,
  repository: Repository,
  deployments: readonly Deployment[],
  urls: Urls,
): Promise<Representation[]> {
  const creators = await accountsById(
    sql,
    deployments.map(({ creatorId }) => creatorId),
  );
  const name = fullName(repository);
  return deployments.map((deployment) => {
    const creator = creators.get(deployment.creatorId);
    const url = urls.deployment(name, deployment.id);
    const payload: Json = JSON.parse(deployment.payload);
    return {
      url,
      id: deployment.id,
      node_id: nodeId('Deployment', deployment.id),
      task: deployment.task,
      original_environment: deployment.originalEnvironment,
      environment: deployment.environment,
      description: deployment.description,
      created_at: timestamp(deployment.createdAt),
      updated_at: timestamp(deployment.updatedAt),
      statuses_url: `${url}/statuses`,
      repository_url: urls.repository(name),
      creator: creator ? representAccount(creator, urls) : null,
      sha: deployment.sha,
      ref: deployment.ref,
      payload,
      transient_environment: deployment.transient,
      production_environment: deployment.production,
    };
  });
}

/** Representations of statuses of deployments, in a fixed number of statements. */
export async function describeDeploymentStatuses(
  sql: Sql,
  repository: Repository,
  statuses: readonly DeploymentStatus[],
  urls: Urls,
): Promise<Representation[]> {
  const creators = await accountsById(
    sql,
    statuses.map(({ creatorId }) => creatorId),
  );
  const name = fullName(repository);
  return statuses.map((status) => {
    const creator = creators.get(status.creatorId);
    const deploymentUrl = urls.deployment(name, status.deploymentId);
    return {
      url: `${deploymentUrl}/statuses/${status.id}`,
      id: status.id,
      node_id: nodeId('DeploymentStatus', status.id),
      state: status.state,
      creator: creator ? representAccount(creator, urls) : null,
      description: status.description,
      environment: status.environment,
      target_url: status.logUrl,
      created_at: timestamp(status.createdAt),
      updated_at: timestamp(status.createdAt),
      deployment_url: deploymentUrl,
      repository_url: urls.repository(name),
      environment_url: status.environmentUrl,
      log_url: status.logUrl,
    };
  });
}

/** Nothing protects environments, so they have no rules. */
export function representEnvironment(
  environment: Environment,
  repository: Repository,
  urls: Urls,
): Representation {
  const name = fullName(repository);
  return {
    id: environment.id,
    node_id: nodeId('Environment', environment.id),
    name: environment.name,
    url: urls.environment(name, environment.name),
    html_url: urls.environmentHtml(name, environment.name),
    created_at: timestamp(environment.createdAt),
    updated_at: timestamp(environment.updatedAt),
    protection_rules: [],
    deployment_branch_policy: null,
  };
}
