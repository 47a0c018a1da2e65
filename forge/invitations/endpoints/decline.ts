import { userEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { findForInvitee, removeInvitation } from '../invitation-store.ts';
import { inviteeScopes, visibleRepositories } from '../visible-repositories.ts';

export const declineRepositoryInvitation = userEndpoint({
  operation: 'repos/decline-invitation',
  method: 'DELETE',
  path: '/user/repository_invitations/:invitation_id',
  docs: 'repos#decline-a-repository-invitation',
  acceptedScopes: 'public_repo, repo, repo:invite',
  scopes: inviteeScopes,
  async handle({ path, caller }, { database }) {
    const visible = visibleRepositories(caller);
    await database.write(async (sql) => {
      const found = await findForInvitee(sql, path.invitation_id, caller.account.id, visible);
      if (!found || !(await removeInvitation(sql, found))) notFound();
    });
    return noContent();
  },
});
