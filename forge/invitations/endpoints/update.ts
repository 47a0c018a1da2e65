import Type from 'typebox';

import { accountsById } from '../../accounts/account-store.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid, notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { repositoryLane } from '../../model/repository.ts';
import { mayChangeInvitations } from '../invitation-policies.ts';
import { partiesOf, representInvitation } from '../invitation-json.ts';
import { findInRepository, offer } from '../invitation-store.ts';
import { offeredPermissions } from '../../model/invitation.ts';

export const updateInvitation = repositoryEndpoint({
  operation: 'repos/update-invitation',
  method: 'PATCH',
  path: '/repos/:owner/:repo/invitations/:invitation_id',
  docs: 'repos#update-a-repository-invitation',
  need: mayChangeInvitations,
  body: Type.Object({ permissions: Type.Optional(Type.String()) }),
  async handle({ path, body, urls, now }, { repository }, { database }) {
    const asked = body.permissions;
    const permission = offeredPermissions.find((known) => known === asked);
    if (asked !== undefined && permission === undefined) {
      invalid({ resource: 'RepositoryInvitation', field: 'permissions', code: 'invalid' });
    }
    const { invitation, accounts } = await database.write(
      async (sql) => {
        const found =
          (await findInRepository(sql, path.invitation_id, repository.id)) ?? notFound();
        return {
          invitation: permission ? await offer(sql, found, permission) : found,
          accounts: await accountsById(sql, partiesOf([found])),
        };
      },
      { lane: repositoryLane(repository.id) },
    );
    return ok(representInvitation(invitation, repository, accounts, urls, now));
  },
});
