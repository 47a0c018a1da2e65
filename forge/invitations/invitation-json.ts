import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import { representMinimalRepository } from '../repositories/repository-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { type Invitation, isExpired } from '../model/invitation.ts';

/** An invitation (docs/specification/forge.md 9.3). `accounts` holds its invitee and its inviter. */
export function representInvitation(
  invitation: Invitation,
  repository: Repository,
  accounts: ReadonlyMap<number, Account>,
  urls: Urls,
  now: number,
): { [field: string]: Json } {
  return {
    id: invitation.id,
    node_id: nodeId('RepositoryInvitation', invitation.id),
    repository: representMinimalRepository(repository, urls),
    invitee: representParty(invitation.inviteeId, accounts, urls),
    inviter: representParty(invitation.inviterId, accounts, urls),
    permissions: invitation.permission,
    created_at: timestamp(invitation.createdAt),
    url: urls.invitation(invitation.id),
    html_url: urls.invitationsHtml(fullName(repository)),
    expired: isExpired(invitation, now),
  };
}

function representParty(id: number, accounts: ReadonlyMap<number, Account>, urls: Urls): Json {
  const account = accounts.get(id);
  return account ? representAccount(account, urls) : null;
}

/** The accounts that the invitations' representations embed. */
export function partiesOf(invitations: readonly Invitation[]): number[] {
  return invitations.flatMap(({ inviteeId, inviterId }) => [inviteeId, inviterId]);
}
