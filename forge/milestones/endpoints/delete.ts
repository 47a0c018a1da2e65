import { callerAccountId } from '../../access/caller.ts';
import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { noContent } from '../../conventions/reply.ts';
import { writeRepository } from '../../response-cache/invalidate.ts';
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
