import { callerAccountId } from '../../model/caller.ts';
import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { removeMilestone } from '../change-milestone.ts';

export const deleteMilestoneEndpoint = repositoryEndpoint({
  operation: 'issues/delete-milestone',
  method: 'DELETE',
  path: '/repos/:owner/:repo/milestones/:milestone_number',
  docs: 'issues#delete-a-milestone',
  need: mayPush,
  async handle({ path, caller, now }, { repository }, { database }) {
    const { id: repositoryId } = repository;
    const { milestone_number: number } = path;
    const change = { repositoryId, number, actorId: callerAccountId(caller), now };
    await writeRepository(database, repositoryId, (sql) => removeMilestone(sql, change));
    return noContent();
  },
});
