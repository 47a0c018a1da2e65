import type { UserCaller } from '../model/caller.ts';
import { holdsAny, type Scope } from '../model/scopes.ts';
import type { VisibleRepositories } from './invitation-store.ts';

/** A token needs one of these to see or answer invitations. */
export const inviteeScopes: readonly Scope[] = ['public_repo', 'repo', 'repo:invite'];

/** A token limited to public repositories must not see private ones, not even in an invitation. */
export function visibleRepositories(caller: UserCaller): VisibleRepositories {
  return holdsAny(caller.scopes, ['repo', 'repo:invite']) ? 'all' : 'public';
}
