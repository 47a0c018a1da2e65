import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { findLabel } from '../../labels/label-store.ts';
import { changeIssue } from '../change-issue.ts';
import { removeLabel } from '../change-labels.ts';
import { mayTriage } from '../issue-policies.ts';
import { labelsOfIssue } from '../labels-of-issue.ts';

export const removeLabelFromIssue = repositoryEndpoint({
  operation: 'issues/remove-label',
  method: 'DELETE',
  path: '/repos/:owner/:repo/issues/:issue_number/labels/:name',
  docs: 'issues#remove-a-label-from-an-issue',
  need: mayTriage,
  async handle(request, { repository }, { database }) {
    const { path, urls } = request;
    await changeIssue({ database }, repository, request, async (sql, change) => {
      const label = await findLabel(sql, repository.id, path.name);
      const removed = label !== undefined && (await removeLabel(sql, change, label));
      if (!removed) notFound('Label does not exist');
    });
    return ok(
      await database.read((sql) => labelsOfIssue(sql, repository, path.issue_number, urls)),
    );
  },
});
