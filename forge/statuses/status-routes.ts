import { accountsById } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import { page as pageResult, created, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import {
  mayPush,
  mayRead,
  type ChangePolicy,
  type RepositoryPolicy,
} from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { createStatus } from './create-status.ts';
import { findCommit } from './known-commits.ts';
import { readStatusInput, statusBody } from './status-input.ts';
import { representCombinedStatus, representStatus } from './status-json.ts';
import { combinedStatus, listStatuses } from './status-store.ts';

/** Access to statuses without access to code (docs/specification/forge.md 3.5). */
const statusScope = { scopes: ['repo:status'] } as const;

const mayReadStatuses: RepositoryPolicy = { ...mayRead, ...statusScope };

const mayCreateStatuses: ChangePolicy = { ...mayPush, ...statusScope };

/** Commit statuses. */
export const statusRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-commit-statuses-for-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:ref/statuses',
    docs: 'repos#list-commit-statuses-for-a-reference',
    acceptedScopes: 'repo, repo:status',
    policy: mayReadStatuses,
    cacheable: true,
    handle: (request, { repository }, ports) =>
      replyWithStatuses(request.path.ref, request, repository, ports),
  }),

  /** The legacy URL of the list, which some clients still use (docs/specification/forge.md 11.3). */
  repositoryEndpoint({
    operation: 'repos/list-commit-statuses-for-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/statuses/:ref',
    docs: 'repos#list-commit-statuses-for-a-reference',
    acceptedScopes: 'repo, repo:status',
    policy: mayReadStatuses,
    cacheable: true,
    handle: (request, { repository }, ports) =>
      replyWithStatuses(request.path.ref, request, repository, ports),
  }),

  repositoryEndpoint({
    operation: 'repos/get-combined-status-for-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:ref/status',
    docs: 'repos#get-the-combined-status-for-a-specific-reference',
    acceptedScopes: 'repo, repo:status',
    policy: mayReadStatuses,
    // Contexts a page (docs/specification/forge.md 6.5).
    pageSizeDefault: 100,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, { database, git }) {
      const sha = (await findCommit(git, repository.id, path.ref)) ?? notFound();
      const combined = await database.read((sql) => combinedStatus(sql, repository.id, sha, page));
      return pageResult(
        representCombinedStatus(sha, combined, repository, urls),
        combined.contexts,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/create-commit-status',
    method: 'POST',
    path: '/repos/:owner/:repo/statuses/:sha',
    docs: 'repos#create-a-commit-status',
    policy: mayCreateStatuses,
    body: statusBody,
    async handle({ path, body, caller, urls, now }, { repository }, ports) {
      // Anonymous callers have not been given the permission to push to anything.
      const status = await createStatus(ports, {
        input: readStatusInput(body),
        repositoryId: repository.id,
        revision: path.sha,
        creatorId: caller.account.id,
        now,
      });
      return created(
        representStatus(status, caller.account, repository, urls),
        urls.status(fullName(repository), status.sha),
      );
    },
  }),
];

/** The response of both URLs: all statuses of the commit of a ref, newest first. */
async function replyWithStatuses(
  ref: string,
  { page, urls }: Pick<RequestContext, 'page' | 'urls'>,
  repository: Repository,
  { database, git }: Pick<Ports, 'database' | 'git'>,
): Promise<EndpointResult> {
  const sha = (await findCommit(git, repository.id, ref)) ?? notFound();
  const { statuses, total, creators } = await database.read(async (sql) => {
    const found = await listStatuses(sql, repository.id, sha, page);
    const creatorIds = found.statuses.map((status) => status.creatorId);
    return { ...found, creators: await accountsById(sql, creatorIds) };
  });
  const items = statuses.map((status) =>
    representStatus(status, creators.get(status.creatorId), repository, urls),
  );
  return pageResult(items, total);
}
