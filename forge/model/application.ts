import { parseScope, type Scope, widest } from './scopes.ts';

/** A program of somebody else that may ask users for tokens. */
export interface Application {
  readonly id: number;
  readonly name: string;
  readonly clientId: string;
  readonly secretSha256: string;
  /** Where its users come back to; without one it cannot ask them. */
  readonly callbackUrl: string | null;
}

/** What a user has allowed an application. */
export interface Grant {
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
}

/** `repo,user repo:status` as applications write them; words that are no scopes are passed over, as the service does. */
export function readScopes(text: string): Scope[] {
  return widest(text.split(/[\s,]+/).flatMap((word) => parseScope(word) ?? [])).toSorted();
}
