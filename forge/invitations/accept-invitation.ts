import type { Database } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { invalidateRepository } from '../events/invalidate.ts';
import type { UserCaller } from '../model/caller.ts';
import { isExpired } from '../model/invitation.ts';
import { holdsAny, type Scope } from '../model/scopes.ts';
import { grantPermission } from '../repositories/collaborator-store.ts';
import { refuseArchived } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { findForInvitee, removeInvitation, type VisibleRepositories } from './invitation-store.ts';

/**
 * Makes the invitee a collaborator and deletes the invitation, in one transaction: the request that deletes the invitation
 * first, by accepting, declining or cancelling it, wins, and others get 404.
 */
export async function acceptInvitation(
  database: Database,
  invitationId: number,
  caller: UserCaller,
  now: number,
): Promise<void> {
  await database.write(async (sql) => {
    const visible = visibleRepositories(caller);
    const invitation = await findForInvitee(sql, invitationId, caller.account.id, visible);
    if (!invitation || isExpired(invitation, now)) return notFound();
    const { repositoryId, inviteeId, permission } = invitation;
    const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
    if (repository?.archived) return refuseArchived();
    if (!(await removeInvitation(sql, invitation))) return notFound();
    const entry = { repositoryId, accountId: inviteeId, permission, now };
    return grantPermission(await invalidateRepository(sql, repositoryId), entry, inviteeId);
  });
}

/** A token needs one of these to see or answer invitations. */
export const inviteeScopes: readonly Scope[] = ['public_repo', 'repo', 'repo:invite'];

/** A token limited to public repositories must not see private ones, not even in an invitation. */
export function visibleRepositories(caller: UserCaller): VisibleRepositories {
  return holdsAny(caller.scopes, ['repo', 'repo:invite']) ? 'all' : 'public';
}
