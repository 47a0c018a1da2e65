import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page as replyPage } from '../../http/reply.ts';
import { findCommit } from '../known-commits.ts';
import { mayReadStatuses } from '../status-policies.ts';
import { representCombinedStatus } from '../status-json.ts';
import { combinedStatus } from '../status-store.ts';

export const getCombinedStatus = repositoryEndpoint({
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
});
