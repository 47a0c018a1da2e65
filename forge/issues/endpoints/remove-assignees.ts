import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { changeIssue } from '../change-issue.ts';
import { removeAssignees } from '../change-assignees.ts';
import { describeIssue } from '../describe-issues.ts';
import { mayTriage } from '../issue-policies.ts';

export const removeAssigneesFromIssue = repositoryEndpoint({
  operation: 'issues/remove-assignees',
  method: 'DELETE',
  path: '/repos/:owner/:repo/issues/:issue_number/assignees',
  docs: 'issues#remove-assignees-from-an-issue',
  need: mayTriage,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ assignees: Type.Optional(Type.Array(Type.String())) }),
  async handle(request, { repository }, { database }) {
    const { body, path, media, urls } = request;
    await changeIssue({ database }, repository, request, (sql, change) =>
      removeAssignees(sql, change, body.assignees ?? []),
    );
    const described = await database.read((sql) =>
      describeIssue(sql, repository, path.issue_number, media.format, urls),
    );
    return ok(described.body);
  },
});
