import type { Caller } from '../access/caller.ts';
import type { RepositoryNeed } from '../access/repository-access.ts';
import { holdsAny } from '../access/scopes.ts';
import { refuse } from '../conventions/refusal.ts';

/**
 * A token without a repository scope reads what everybody may read. Who else has access or is invited is not that, even
 * in a public repository that the token's user administers.
 */
export function refuseUnscopedToken(caller: Caller, need: RepositoryNeed): void {
  const scopes = caller.kind === 'user' ? caller.scopes : new Set<never>();
  if (holdsAny(scopes, ['public_repo', ...(need.scopes ?? [])])) return;
  refuse({
    kind: 'forbidden',
    message: need.refusal ?? 'Not permitted by the scopes of the token.',
  });
}
