import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { noContent } from '../../conventions/reply.ts';
import { repositoryLane } from '../../repositories/repository.ts';
import { deleteMilestone, findMilestone } from '../milestone-store.ts';

export const deleteMilestoneEndpoint = repositoryEndpoint({
  operation: 'issues/delete-milestone',
  method: 'DELETE',
  path: '/repos/:owner/:repo/milestones/:milestone_number',
  docs: 'issues#delete-a-milestone',
  need: mayPush,
  async handle({ path }, { repository }, { database }) {
    await database.write(
      async (sql) => {
        const milestone = await findMilestone(sql, repository.id, path.milestone_number);
        if (!milestone) return notFound();
        return deleteMilestone(sql, milestone);
      },
      { lane: repositoryLane(repository.id) },
    );
    return noContent();
  },
});
