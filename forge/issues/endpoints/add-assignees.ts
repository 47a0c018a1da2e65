import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { changeIssue } from '../change-issue.ts';
import { addAssignees } from '../change-assignees.ts';
import { describeIssue } from '../describe-issues.ts';
import { mayTriage } from '../issue-policies.ts';

export const addAssigneesToIssue = repositoryEndpoint({
  operation: 'issues/add-assignees',
  method: 'POST',
  path: '/repos/:owner/:repo/issues/:issue_number/assignees',
  docs: 'issues#add-assignees-to-an-issue',
  need: mayTriage,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ assignees: Type.Optional(Type.Array(Type.String())) }),
  async handle(request, { repository }, { database }) {
    const { body, path, media, urls } = request;
    await changeIssue({ database }, repository, request, (sql, change, issue) =>
      addAssignees(sql, change, issue.authorId, body.assignees ?? []),
    );
    const described = await database.read((sql) =>
      describeIssue(sql, repository, path.issue_number, media.format, urls),
    );
    return created(described.body, urls.issue(fullName(repository), path.issue_number));
  },
});
