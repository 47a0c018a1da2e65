import { callerAccountId } from '../../model/caller.ts';
import { mayAdminister } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { emitEvent } from '../../events/event-outbox-store.ts';
import { removeCollaborator } from '../../repositories/collaborator-store.ts';
import { namedUser } from '../named-user.ts';

export const removeRepositoryCollaborator = repositoryEndpoint({
  operation: 'repos/remove-collaborator',
  method: 'DELETE',
  path: '/repos/:owner/:repo/collaborators/:username',
  docs: 'repos#remove-a-repository-collaborator',
  need: mayAdminister,
  async handle({ path, caller, now }, { repository }, { database }) {
    await writeRepository(database, repository.id, async (sql) => {
      const { id } = await namedUser(sql, path.username);
      if (!(await removeCollaborator(sql, repository.id, id))) return;
      const actorId = callerAccountId(caller);
      const told = { event: 'member', action: 'removed', memberId: id, actorId } as const;
      await emitEvent(sql, repository.id, told, now);
    });
    return noContent();
  },
});
