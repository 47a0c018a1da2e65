import Type from 'typebox';

import { atLeast } from '../../model/permission.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { changeIssue } from '../change-issue.ts';
import { addLabels } from '../change-labels.ts';
import { labelList, labelNames } from '../issue-input.ts';
import { mayTriage } from '../issue-policies.ts';
import { labelsOfIssue } from '../labels-of-issue.ts';

export const addLabelsToIssue = repositoryEndpoint({
  operation: 'issues/add-labels',
  method: 'POST',
  path: '/repos/:owner/:repo/issues/:issue_number/labels',
  docs: 'issues#add-labels-to-an-issue',
  need: mayTriage,
  arrayMember: 'labels',
  body: Type.Object({ labels: labelList }),
  async handle(request, { repository, permission }, { database }) {
    const { body, path, urls } = request;
    const mayCreate = atLeast(permission, 'write');
    await changeIssue({ database }, repository, request, (sql, change) =>
      addLabels(sql, change, { names: labelNames(body.labels), mayCreate }),
    );
    return ok(
      await database.read((sql) => labelsOfIssue(sql, repository, path.issue_number, urls)),
    );
  },
});
