import { notFound, refuse } from '../errors/api-error.ts';
import { page as replyPage, created } from '../http/reply.ts';
import { fullName } from '../model/repository.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { createStatus } from './create-status.ts';
import { findCommit } from './known-commits.ts';
import { readStatusWish, statusBody } from './status-input.ts';
import { representCombinedStatus, representStatus } from './status-json.ts';
import { mayReadStatuses, mayCreateStatuses } from './status-policies.ts';
import { combinedStatus } from './status-store.ts';
import { replyWithStatuses } from './statuses-of-ref.ts';

/** Commit statuses. */
export const statusRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-commit-statuses-for-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:ref/statuses',
    docs: 'repos#list-commit-statuses-for-a-reference',
    acceptedScopes: 'repo, repo:status',
    need: mayReadStatuses,
    cacheable: true,
    handle: (request, { repository }, ports) =>
      replyWithStatuses(request.path.ref, request, repository, ports),
  }),

  /** The list's first address, which some clients still use (spec, List commit statuses for a reference). */
  repositoryEndpoint({
    operation: 'repos/list-commit-statuses-for-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/statuses/:ref',
    docs: 'repos#list-commit-statuses-for-a-reference',
    acceptedScopes: 'repo, repo:status',
    need: mayReadStatuses,
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
    need: mayReadStatuses,
    // spec, Limits: combined status contexts per page.
    pageSizeDefault: 100,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, { database, git }) {
      const sha = (await findCommit(git, repository.id, path.ref)) ?? notFound();
      const combined = await database.read((sql) => combinedStatus(sql, repository.id, sha, page));
      return replyPage(representCombinedStatus(sha, combined, repository, urls), combined.contexts);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/create-commit-status',
    method: 'POST',
    path: '/repos/:owner/:repo/statuses/:sha',
    docs: 'repos#create-a-commit-status',
    need: mayCreateStatuses,
    body: statusBody,
    async handle({ path, body, caller, urls, now }, { repository }, ports) {
      // Anonymous callers have not been given the permission to push to anything.
      if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
      const status = await createStatus(ports, {
        wish: readStatusWish(body),
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
