import type { Account } from '../../model/account.ts';
import type { UserCaller } from '../../model/caller.ts';
import { sha256 } from '../token.ts';

/** The session of a signed-in browser. */
export interface Session {
  readonly account: Account;
  /** The value of its cookie; form tokens are derived from it. */
  readonly secret: string;
}

/** Those who signed in with their password may do all that their account may. */
export function sessionCaller({ account }: Pick<Session, 'account'>): UserCaller {
  return { kind: 'user', account, scopes: 'password' };
}

/** Session of a browser, from signing in. Use does not extend it, so that a stolen old cookie is worthless. */
export const sessionMilliseconds: number = 14 * 24 * 3_600_000;

/** Time between the password and its code. */
export const pendingMilliseconds: number = 10 * 60_000;

/** 256 bits, encoded for a cookie. Only the SHA-256 is stored, so that a copy of the database reveals no session. */
export function makeSecret(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

export const secretBytes = 32;

/** Identifies the password that a session started with, so that every change of the password ends the session. */
export function passwordMark(passwordHash: string): string {
  return sha256(passwordHash);
}
