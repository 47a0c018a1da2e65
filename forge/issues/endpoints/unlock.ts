import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { changeIssue } from '../change-issue.ts';
import { unlockIssue } from '../issue-change-store.ts';

export const unlockConversation = repositoryEndpoint({
  operation: 'issues/unlock',
  method: 'DELETE',
  path: '/repos/:owner/:repo/issues/:issue_number/lock',
  docs: 'issues#unlock-an-issue',
  acceptedScopes: 'public_repo, repo',
  need: mayPush,
  async handle(request, { repository }, ports) {
    await changeIssue(ports, repository, request, (sql, change, issue) =>
      unlockIssue(sql, issue, change),
    );
    return noContent();
  },
});
