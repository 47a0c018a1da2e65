import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { changeIssue } from '../change-issue.ts';
import { lockIssue } from '../issue-change-store.ts';
import { lockReasons } from '../../model/issue.ts';

export const lockConversation = repositoryEndpoint({
  operation: 'issues/lock',
  method: 'PUT',
  path: '/repos/:owner/:repo/issues/:issue_number/lock',
  docs: 'issues#lock-an-issue',
  acceptedScopes: 'public_repo, repo',
  need: mayPush,
  body: Type.Object({ lock_reason: Type.Optional(orNull(choice(lockReasons))) }),
  async handle(request, { repository }, ports) {
    const reason = request.body.lock_reason ?? null;
    await changeIssue(ports, repository, request, (sql, change, issue) =>
      lockIssue(sql, issue, reason, change),
    );
    return noContent();
  },
});
