import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page as replyPage } from '../../http/reply.ts';
import { representLabel } from '../../labels/label-json.ts';
import { labelsOfMilestone } from '../../labels/label-store.ts';
import { fullName } from '../../model/repository.ts';
import { findMilestone } from '../milestone-store.ts';

export const listLabelsOfMilestone = repositoryEndpoint({
  operation: 'issues/list-labels-for-milestone',
  method: 'GET',
  path: '/repos/:owner/:repo/milestones/:milestone_number/labels',
  docs: 'issues#list-labels-for-issues-in-a-milestone',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, page, urls }, { repository }, { database }) {
    return database.read(async (sql) => {
      const milestone = await findMilestone(sql, repository.id, path.milestone_number);
      if (!milestone) return notFound();
      const { labels, total } = await labelsOfMilestone(sql, milestone.id, page);
      const name = fullName(repository);
      return replyPage(
        labels.map((label) => representLabel(label, name, urls)),
        total,
      );
    });
  },
});
