import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { mayReadStatuses } from '../status-policies.ts';
import { replyWithStatuses } from '../statuses-of-ref.ts';

export const listStatusesForRef = repositoryEndpoint({
  operation: 'repos/list-commit-statuses-for-ref',
  method: 'GET',
  path: '/repos/:owner/:repo/commits/:ref/statuses',
  docs: 'repos#list-commit-statuses-for-a-reference',
  acceptedScopes: 'repo, repo:status',
  need: mayReadStatuses,
  cacheable: true,
  handle: (request, { repository }, ports) =>
    replyWithStatuses(request.path.ref, request, repository, ports),
});
