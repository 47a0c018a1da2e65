import type { Signature } from '../git/git.ts';
import { type Account, noreplyAddress } from '../model/account.ts';

/** The signature of an account in commits that this server creates. `now` in milliseconds, the offset in minutes east of UTC. */
export function signatureOf(account: Account, now: number, offsetMinutes: number): Signature {
  return {
    name: account.name ?? account.login,
    email: account.email ?? noreplyAddress(account),
    seconds: Math.floor(now / 1000),
    offsetMinutes,
  };
}

/** The server itself, as committer of commits by users and of internal commits. */
export function serverSignature(now: number, offsetMinutes: number): Signature {
  return { name: 'Hob', email: 'noreply@hob', seconds: Math.floor(now / 1000), offsetMinutes };
}
