import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { mayListCollaborators } from '../collaborator-policies.ts';
import { isCollaborator } from '../../repositories/collaborator-store.ts';
import { namedUser } from '../named-user.ts';

export const checkCollaborator = repositoryEndpoint({
  operation: 'repos/check-collaborator',
  method: 'GET',
  path: '/repos/:owner/:repo/collaborators/:username',
  docs: 'repos#check-if-a-user-is-a-repository-collaborator',
  need: mayListCollaborators,
  async handle({ path }, { repository }, { database }) {
    const found = await database.read(async (sql) => {
      const { id } = await namedUser(sql, path.username);
      return isCollaborator(sql, repository, id);
    });
    return found ? noContent() : notFound();
  },
});
