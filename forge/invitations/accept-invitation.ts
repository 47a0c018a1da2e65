import type { Database } from '#platform/database/database.ts';

import type { UserCaller } from '../model/caller.ts';
import { refuseArchived } from '../repositories/repository-access.ts';
import { notFound } from '../errors/api-error.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { invalidateRepository } from '../events/invalidate.ts';
import { grantPermission } from '../repositories/grant-permission.ts';
import { findForInvitee, removeInvitation } from './invitation-store.ts';
import { isExpired } from '../model/invitation.ts';
import { visibleRepositories } from './visible-repositories.ts';

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
