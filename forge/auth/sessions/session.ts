import { sha256 } from '../token.ts';
import type { Account } from '../../model/account.ts';

/** A browser that somebody is signed in with. */
export interface Session {
  readonly account: Account;
  /** What its cookie holds; the forms of its pages are bound to it. */
  readonly secret: string;
}

/** However often it is used: whoever finds an old cookie finds nothing. */
export const sessionMilliseconds: number = 14 * 24 * 3_600_000;

/** Between the password and its code. */
export const pendingMilliseconds: number = 10 * 60_000;

/** 256 bits, as a cookie can hold them. Only the SHA-256 is kept, so that the database opens no session. */
export function makeSecret(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

export const secretBytes = 32;

/** By this a session knows the password that began it; a changed password ends it, whoever changed it. */
export function passwordMark(passwordHash: string): string {
  return sha256(passwordHash);
}
