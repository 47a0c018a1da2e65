import type { Account } from './account.ts';
import type { Scopes } from './scopes.ts';

/** The authenticated sender of a request. */
export type Caller =
  | { readonly kind: 'anonymous' }
  /** Sees only what an anonymous caller sees, at a higher rate (forge 3.3). */
  | { readonly kind: 'application'; readonly applicationId: number }
  | { readonly kind: 'user'; readonly account: Account; readonly scopes: Scopes };

export type UserCaller = Extract<Caller, { kind: 'user' }>;

/** The account id, or 0 for callers without an account, for comparisons in SQL. */
export function callerAccountId(caller: Caller): number {
  return caller.kind === 'user' ? caller.account.id : 0;
}
