import { accountsById } from '../../accounts/account-store.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { mayListInvitations } from '../invitation-policies.ts';
import { partiesOf, representInvitation } from '../invitation-json.ts';
import { listForRepository } from '../invitation-store.ts';

export const listInvitationsOfRepository = repositoryEndpoint({
  operation: 'repos/list-invitations',
  method: 'GET',
  path: '/repos/:owner/:repo/invitations',
  docs: 'repos#list-repository-invitations',
  need: mayListInvitations,
  async handle({ page, urls, now }, { repository }, { database }) {
    const { invitations, total, accounts } = await database.read(async (sql) => {
      const found = await listForRepository(sql, repository.id, page);
      return { ...found, accounts: await accountsById(sql, partiesOf(found.invitations)) };
    });
    const items = invitations.map((invitation) =>
      representInvitation(invitation, repository, accounts, urls, now),
    );
    return replyPage(items, total);
  },
});
