import type { Sql } from '#platform/database/database.ts';

import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { accepted, created, noContent, ok, page as pageResult } from '../http/endpoint-result.ts';
import type { Deployment, DeploymentStatus } from '../model/deployment.ts';
import { fullName } from '../model/repository.ts';
import { mayPush, mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { createDeployment } from './create-deployment.ts';
import { createDeploymentStatus } from './create-deployment-status.ts';
import {
  deploymentBody,
  deploymentStatusBody,
  readDeploymentInput,
  readDeploymentStatusInput,
} from './deployment-input.ts';
import { findDeploymentStatus, listDeploymentStatuses } from './deployment-status-store.ts';
import {
  deleteDeployment,
  findDeployment,
  hasOtherDeployment,
  listDeployments,
} from './deployment-store.ts';
import {
  describeDeployments,
  describeDeploymentStatuses,
  representEnvironment,
} from './describe-deployments.ts';
import { findEnvironment, listEnvironments } from './environment-store.ts';

/** Access to deployments without access to code. */
const scopes = ['repo_deployment'] as const;
const acceptedScopes = 'repo, repo_deployment';

/** Deployments: https://docs.github.com/rest/deployments */
export const deploymentRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-deployments',
    method: 'GET',
    path: '/repos/:owner/:repo/deployments',
    docs: 'repos#list-deployments',
    acceptedScopes,
    policy: { ...mayRead, scopes },
    cacheable: true,
    handle: ({ query, page, urls }, { repository }, { database }) =>
      database.read(async (sql) => {
        const filter = {
          sha: wanted(query, 'sha')?.toLowerCase(),
          ref: wanted(query, 'ref'),
          task: wanted(query, 'task'),
          environment: wanted(query, 'environment'),
        };
        const found = await listDeployments(sql, repository.id, filter, page);
        const body = await describeDeployments(sql, repository, found.deployments, urls);
        return pageResult(body, found.total);
      }),
  }),

  repositoryEndpoint({
    operation: 'repos/get-deployment',
    method: 'GET',
    path: '/repos/:owner/:repo/deployments/:deployment_id',
    docs: 'repos#get-a-deployment',
    acceptedScopes,
    policy: { ...mayRead, scopes },
    cacheable: true,
    handle: ({ path, urls }, { repository }, { database }) =>
      database.read(async (sql) => {
        const deployment = await named(sql, repository.id, path.deployment_id);
        const [body = null] = await describeDeployments(sql, repository, [deployment], urls);
        return ok(body);
      }),
  }),

  repositoryEndpoint({
    operation: 'repos/create-deployment',
    method: 'POST',
    path: '/repos/:owner/:repo/deployments',
    docs: 'repos#create-a-deployment',
    acceptedScopes,
    policy: { ...mayPush, scopes },
    body: deploymentBody,
    async handle(request, { repository }, ports) {
      const { body, caller, urls } = request;
      const deployment = await createDeployment(ports, {
        repository,
        caller,
        ref: body.ref,
        input: readDeploymentInput(body),
        autoMerge: body.auto_merge ?? true,
        requiredContexts: body.required_contexts ?? undefined,
        signingTime: request,
      });
      if (deployment === 'merged') {
        const { defaultBranch } = repository;
        return accepted({
          message: `Auto-merged ${defaultBranch} into ${body.ref} on deployment.`,
        });
      }
      const [shown = null] = await ports.database.read((sql) =>
        describeDeployments(sql, repository, [deployment], urls),
      );
      return created(shown, urls.deployment(fullName(repository), deployment.id));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-deployment',
    method: 'DELETE',
    path: '/repos/:owner/:repo/deployments/:deployment_id',
    docs: 'repos#delete-a-deployment',
    acceptedScopes,
    policy: { ...mayPush, scopes },
    async handle({ path }, { repository }, { database }) {
      await writeRepository(database, repository.id, async (sql) => {
        const { id, state } = await named(sql, repository.id, path.deployment_id);
        if (state === 'success' && (await hasOtherDeployment(sql, repository.id, id))) {
          refuseActive();
        }
        await deleteDeployment(sql, id);
      });
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/list-deployment-statuses',
    method: 'GET',
    path: '/repos/:owner/:repo/deployments/:deployment_id/statuses',
    docs: 'repos#list-deployment-statuses',
    acceptedScopes,
    policy: { ...mayRead, scopes },
    cacheable: true,
    handle: ({ path, page, urls }, { repository }, { database }) =>
      database.read(async (sql) => {
        const { id } = await named(sql, repository.id, path.deployment_id);
        const { statuses, total } = await listDeploymentStatuses(sql, id, page);
        return pageResult(await describeDeploymentStatuses(sql, repository, statuses, urls), total);
      }),
  }),

  repositoryEndpoint({
    operation: 'repos/get-deployment-status',
    method: 'GET',
    path: '/repos/:owner/:repo/deployments/:deployment_id/statuses/:status_id',
    docs: 'repos#get-a-deployment-status',
    acceptedScopes,
    policy: { ...mayRead, scopes },
    cacheable: true,
    handle: ({ path, urls }, { repository }, { database }) =>
      database.read(async (sql) => {
        const { id } = await named(sql, repository.id, path.deployment_id);
        const status: DeploymentStatus =
          (await findDeploymentStatus(sql, id, path.status_id)) ?? notFound();
        const [body = null] = await describeDeploymentStatuses(sql, repository, [status], urls);
        return ok(body);
      }),
  }),

  repositoryEndpoint({
    operation: 'repos/create-deployment-status',
    method: 'POST',
    path: '/repos/:owner/:repo/deployments/:deployment_id/statuses',
    docs: 'repos#create-a-deployment-status',
    acceptedScopes,
    policy: { ...mayPush, scopes },
    body: deploymentStatusBody,
    async handle({ path, body, caller, urls, now }, { repository }, { database }) {
      const status = await createDeploymentStatus(database, {
        repositoryId: repository.id,
        deploymentId: path.deployment_id,
        actorId: caller.account.id,
        input: readDeploymentStatusInput(body),
        now,
      });
      const [shown = null] = await database.read((sql) =>
        describeDeploymentStatuses(sql, repository, [status], urls),
      );
      const deploymentUrl = urls.deployment(fullName(repository), status.deploymentId);
      return created(shown, `${deploymentUrl}/statuses/${status.id}`);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-all-environments',
    method: 'GET',
    path: '/repos/:owner/:repo/environments',
    docs: 'repos#list-environments',
    policy: mayRead,
    cacheable: true,
    async handle({ page, urls }, { repository }, { database }) {
      const { environments, total } = await database.read((sql) =>
        listEnvironments(sql, repository.id, page),
      );
      const shown = environments.map((each) => representEnvironment(each, repository, urls));
      return pageResult({ total_count: total, environments: shown }, total);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-environment',
    method: 'GET',
    path: '/repos/:owner/:repo/environments/:environment_name',
    docs: 'repos#get-an-environment',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { database }) {
      const environment = await database.read((sql) =>
        findEnvironment(sql, repository.id, path.environment_name),
      );
      return ok(representEnvironment(environment ?? notFound(), repository, urls));
    },
  }),
];

/** `none` is the documented default of each. */
function wanted(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === '' || value === 'none' ? undefined : value;
}

async function named(sql: Sql, repositoryId: number, id: number): Promise<Deployment> {
  return (await findDeployment(sql, repositoryId, id)) ?? notFound();
}

function refuseActive(): never {
  return refuse({
    kind: 'unprocessable',
    message:
      'We cannot delete an active deployment unless it is the only deployment in a given environment.',
  });
}
