import { accountsById } from '../../accounts/account-store.ts';
import { userEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { partiesOf, representInvitation } from '../invitation-json.ts';
import { listForInvitee } from '../invitation-store.ts';
import { inviteeScopes, visibleRepositories } from '../visible-repositories.ts';

export const listInvitationsForUser = userEndpoint({
  operation: 'repos/list-invitations-for-authenticated-user',
  method: 'GET',
  path: '/user/repository_invitations',
  docs: 'repos#list-repository-invitations-for-the-authenticated-user',
  acceptedScopes: 'public_repo, repo, repo:invite',
  scopes: inviteeScopes,
  async handle({ caller, page, urls, now }, { database }) {
    const visible = visibleRepositories(caller);
    const { invitations, total, repositories, accounts } = await database.read(async (sql) => {
      const found = await listForInvitee(sql, caller.account.id, visible, page);
      const ids = found.invitations.map((invitation) => invitation.repositoryId);
      return {
        ...found,
        repositories: await repositoriesById(sql, ids),
        accounts: await accountsById(sql, partiesOf(found.invitations)),
      };
    });
    const items = invitations.map((invitation) => {
      const repository = repositories.get(invitation.repositoryId);
      if (!repository)
        throw new Error(`invitation ${invitation.id} is to a repository that is not there`);
      return representInvitation(invitation, repository, accounts, urls, now);
    });
    return replyPage(items, total);
  },
});
