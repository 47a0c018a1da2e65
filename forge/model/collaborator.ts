import type { GrantedPermission } from './permission.ts';
import type { Account } from './account.ts';

/** A user with explicit access to a repository, and the resulting permission. */
export interface Collaborator {
  readonly account: Account;
  readonly permission: GrantedPermission;
}

/**
 * Which collaborators a list shows: `direct` leaves out those who have access only through the organization, `outside`
 * also leaves out all its members. The account that owns the repository is one of its own.
 */
export const affiliations = ['outside', 'direct', 'all'] as const;
export type Affiliation = (typeof affiliations)[number];
