import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { repositoryLane } from '../../model/repository.ts';
import { mayChangeInvitations } from '../invitation-policies.ts';
import { findInRepository, removeInvitation } from '../invitation-store.ts';

export const cancelInvitation = repositoryEndpoint({
  operation: 'repos/delete-invitation',
  method: 'DELETE',
  path: '/repos/:owner/:repo/invitations/:invitation_id',
  docs: 'repos#delete-a-repository-invitation',
  need: mayChangeInvitations,
  async handle({ path }, { repository }, { database }) {
    await database.write(
      async (sql) => {
        const found = await findInRepository(sql, path.invitation_id, repository.id);
        if (!found || !(await removeInvitation(sql, found))) notFound();
      },
      { lane: repositoryLane(repository.id) },
    );
    return noContent();
  },
});
