import Type from 'typebox';

import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { noContent } from '../../conventions/reply.ts';
import { choice, orNull } from '../../conventions/shapes.ts';
import { changeIssue } from '../change-issue.ts';
import { lockIssue } from '../issue-change-store.ts';
import { lockReasons } from '../issue.ts';

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
