import { parseScope, type Scope, widest } from './scopes.ts';

/** An OAuth application, which may request tokens from users. */
export interface Application {
  readonly id: number;
  readonly name: string;
  readonly clientId: string;
  readonly secretSha256: string;
  /** The redirect URI; without one the application cannot request authorization. */
  readonly callbackUrl: string | null;
}

/** The authorization that a user granted to an application. */
export interface Grant {
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
}

/** Parses scopes as applications write them, `repo,user repo:status`; as on GitHub, unknown scopes are ignored. */
export function readScopes(text: string): Scope[] {
  return widest(text.split(/[\s,]+/).flatMap((word) => parseScope(word) ?? [])).toSorted();
}
