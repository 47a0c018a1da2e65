import { mayAdminister } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { noContent } from '../../conventions/reply.ts';
import { repositoryLane } from '../../repositories/repository.ts';
import { removeCollaborator } from '../collaborator-store.ts';
import { namedUser } from '../named-user.ts';

export const removeRepositoryCollaborator = repositoryEndpoint({
  operation: 'repos/remove-collaborator',
  method: 'DELETE',
  path: '/repos/:owner/:repo/collaborators/:username',
  docs: 'repos#remove-a-repository-collaborator',
  need: mayAdminister,
  async handle({ path }, { repository }, { database }) {
    await database.write(
      async (sql) => {
        const { id } = await namedUser(sql, path.username);
        await removeCollaborator(sql, repository.id, id);
      },
      { lane: repositoryLane(repository.id) },
    );
    return noContent();
  },
});
