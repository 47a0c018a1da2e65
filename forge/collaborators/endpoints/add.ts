import Type from 'typebox';

import { mayAdminister } from '../../repositories/repository-access.ts';
import { accountsById, findAccount } from '../../accounts/account-store.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import { created, noContent } from '../../http/reply.ts';
import { partiesOf, representInvitation } from '../../invitations/invitation-json.ts';
import { addCollaborator } from '../../invitations/add-collaborator.ts';
import { readWishedPermission } from '../permission-input.ts';

export const addRepositoryCollaborator = repositoryEndpoint({
  operation: 'repos/add-collaborator',
  method: 'PUT',
  path: '/repos/:owner/:repo/collaborators/:username',
  docs: 'repos#add-a-repository-collaborator',
  need: mayAdminister,
  // Any value is taken here, because a wrong one is refused in a sentence of its own.
  body: Type.Object({ permission: Type.Optional(Type.Unknown()) }),
  async handle({ path, body, caller, urls, now }, { repository }, { database }) {
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const account = await database.read((sql) => findAccount(sql, path.username));
    const addition = await addCollaborator(database, {
      repository,
      account: account ?? notFound(),
      inviter: caller.account,
      permission: readWishedPermission(body.permission),
      now,
    });
    if (addition.kind === 'added') return noContent();
    const { invitation } = addition;
    const parties = await database.read((sql) => accountsById(sql, partiesOf([invitation])));
    return created(
      representInvitation(invitation, repository, parties, urls, now),
      urls.invitation(invitation.id),
    );
  },
});
