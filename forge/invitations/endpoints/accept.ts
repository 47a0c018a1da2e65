import { userEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { acceptInvitation } from '../accept-invitation.ts';
import { inviteeScopes } from '../visible-repositories.ts';

export const acceptRepositoryInvitation = userEndpoint({
  operation: 'repos/accept-invitation',
  method: 'PATCH',
  path: '/user/repository_invitations/:invitation_id',
  docs: 'repos#accept-a-repository-invitation',
  acceptedScopes: 'public_repo, repo, repo:invite',
  scopes: inviteeScopes,
  async handle({ path, caller, now }, { database }) {
    await acceptInvitation(database, path.invitation_id, caller, now);
    return noContent();
  },
});
