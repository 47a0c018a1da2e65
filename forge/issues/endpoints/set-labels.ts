import Type from 'typebox';

import { atLeast } from '../../model/permission.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { changeIssue } from '../change-issue.ts';
import { replaceLabels } from '../change-labels.ts';
import { labelList, labelNames } from '../issue-input.ts';
import { mayTriage } from '../issue-policies.ts';
import { labelsOfIssue } from '../labels-of-issue.ts';

export const setLabelsOfIssue = repositoryEndpoint({
  operation: 'issues/set-labels',
  method: 'PUT',
  path: '/repos/:owner/:repo/issues/:issue_number/labels',
  docs: 'issues#set-labels-for-an-issue',
  need: mayTriage,
  arrayMember: 'labels',
  body: Type.Object({ labels: Type.Optional(labelList) }),
  async handle(request, { repository, permission }, { database }) {
    const { body, path, urls } = request;
    const mayCreate = atLeast(permission, 'write');
    await changeIssue({ database }, repository, request, (sql, change) =>
      replaceLabels(sql, change, { names: labelNames(body.labels ?? []), mayCreate }),
    );
    return ok(
      await database.read((sql) => labelsOfIssue(sql, repository, path.issue_number, urls)),
    );
  },
});
