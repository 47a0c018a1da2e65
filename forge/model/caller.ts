import type { Account } from './account.ts';
import type { App, InstallationGrant } from './app.ts';
import type { Scopes } from './scopes.ts';

/** The authenticated sender of a request. */
export type Caller =
  | { readonly kind: 'anonymous' }
  /** Sees only what an anonymous caller sees, at a higher rate (docs/specification/forge.md 3.3). */
  | { readonly kind: 'application'; readonly applicationId: number }
  /** A GitHub App with a JSON Web Token: manages its installations, and sees what an anonymous caller sees. */
  | {
      readonly kind: 'app';
      readonly app: App;
      /** When its token expires, in milliseconds since the epoch. */
      readonly expiresAt: number;
    }
  | {
      readonly kind: 'user';
      readonly account: Account;
      readonly scopes: Scopes;
      /** Set for the bot of an App with an installation token, which has no scopes but permissions. */
      readonly installation?: InstallationGrant;
    };

export type UserCaller = Extract<Caller, { kind: 'user' }>;
export type AppCaller = Extract<Caller, { kind: 'app' }>;
export type InstallationCaller = UserCaller & { readonly installation: InstallationGrant };

export function isInstallation(caller: Caller): caller is InstallationCaller {
  return caller.kind === 'user' && caller.installation !== undefined;
}

/** The account id, or 0 for callers without an account, for comparisons in SQL. */
export function callerAccountId(caller: Caller): number {
  return caller.kind === 'user' ? caller.account.id : 0;
}
