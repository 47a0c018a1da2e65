import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { changeIssue } from '../change-issue.ts';
import { replaceLabels } from '../change-labels.ts';
import { mayTriage } from '../issue-policies.ts';

export const removeAllLabelsFromIssue = repositoryEndpoint({
  operation: 'issues/remove-all-labels',
  method: 'DELETE',
  path: '/repos/:owner/:repo/issues/:issue_number/labels',
  docs: 'issues#remove-all-labels-from-an-issue',
  need: mayTriage,
  async handle(request, { repository }, ports) {
    await changeIssue(ports, repository, request, (sql, change) =>
      replaceLabels(sql, change, { names: [], mayCreate: false }),
    );
    return noContent();
  },
});
