import type { Database, Sql } from '#platform/database/database.ts';

import { atLeast, type GrantedPermission } from '../model/permission.ts';
import type { Account } from '../model/account.ts';
import { invalid, notFound } from '../errors/api-error.ts';
import { findByInvitee, insertInvitation, offer, removeInvitation } from './invitation-store.ts';
import { type Invitation, isExpired } from '../model/invitation.ts';
import { type Repository, repositoryQueue } from '../model/repository.ts';
import { invalidateRepository } from '../events/invalidate.ts';
import { grantPermission, affiliationOf } from '../repositories/collaborator-store.ts';

export interface AddCollaboratorInput {
  readonly repository: Repository;
  readonly account: Account;
  readonly inviter: Account;
  /** undefined where the request names none. */
  readonly permission: GrantedPermission | undefined;
  readonly now: number;
}

export type AddCollaboratorResult =
  | { readonly kind: 'added' }
  | { readonly kind: 'invited'; readonly invitation: Invitation };

/**
 * Grants access to existing collaborators and members of the organization, and invites other users, who must accept before
 * they become collaborators.
 */
export async function addCollaborator(
  database: Database,
  input: AddCollaboratorInput,
): Promise<AddCollaboratorResult> {
  const { repository, account, now } = input;
  if (account.id === repository.owner.id) return refuseOwner();
  // Organizations own repositories; they do not collaborate in them.
  if (account.kind === 'organization') return notFound();
  const add = async (sql: Sql): Promise<AddCollaboratorResult> => {
    const affiliation = await affiliationOf(sql, repository, account.id);
    const invitation = await findByInvitee(sql, repository.id, account.id);
    if (affiliation.permission === null && affiliation.memberRole === null) {
      return { kind: 'invited', invitation: await invite(sql, input, invitation) };
    }
    if (invitation) await removeInvitation(sql, invitation);
    const permission = requestedPermission(input, affiliation.permission);
    const entry = { repositoryId: repository.id, accountId: account.id, permission, now };
    const write = await invalidateRepository(sql, repository.id);
    await grantPermission(write, entry, input.inviter.id);
    return { kind: 'added' };
  };
  return database.write(add, { queue: repositoryQueue(repository.id) });
}

/** A second invitation updates the permission of an open one and replaces an expired one. */
async function invite(
  sql: Sql,
  input: AddCollaboratorInput,
  before: Invitation | undefined,
): Promise<Invitation> {
  if (before && !isExpired(before, input.now)) {
    return offer(sql, before, requestedPermission(input, before.permission));
  }
  if (before) await removeInvitation(sql, before);
  return insertInvitation(sql, {
    repositoryId: input.repository.id,
    inviteeId: input.account.id,
    inviterId: input.inviter.id,
    permission: requestedPermission(input, null),
    createdAt: input.now,
  });
}

/** Push by default; without a permission in the request, an existing higher one stays. */
function requestedPermission(
  input: AddCollaboratorInput,
  before: GrantedPermission | null,
): GrantedPermission {
  if (input.permission) return input.permission;
  return before !== null && atLeast(before, 'write') ? before : 'write';
}

function refuseOwner(): never {
  return invalid({
    resource: 'Repository',
    code: 'custom',
    message: 'Repository owner cannot be a collaborator',
  });
}
