import type { GrantedPermission } from './permission.ts';

/** An offer of a permission in a repository. It is open until it is accepted, declined or cancelled. */
export interface Invitation {
  readonly id: number;
  readonly repositoryId: number;
  readonly inviteeId: number;
  readonly inviterId: number;
  readonly permission: GrantedPermission;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Validity of an invitation to a repository. */
const lifetimeMilliseconds = 7 * 24 * 3_600_000;

/** An expired invitation stays in the lists, so that both sides see why it can no longer be accepted. */
export function isExpired(invitation: Invitation, now: number): boolean {
  return now >= invitation.createdAt + lifetimeMilliseconds;
}

/** The values of `permissions`: unlike the API of collaborators, invitations use `read` and `write` (docs/specification/forge.md 10.3). */
export const offeredPermissions = ['read', 'write', 'maintain', 'triage', 'admin'] as const;
