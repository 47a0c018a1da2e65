import type { Signature } from '../git/git.ts';
import type { Account } from '../model/account.ts';

/** Who a commit made by this server says it is from. `now` in milliseconds, the offset in minutes east of UTC. */
export function signatureOf(account: Account, now: number, offsetMinutes: number): Signature {
  return {
    name: account.name ?? account.login,
    email: account.email ?? `${account.id}+${account.login}@users.noreply.hob`,
    seconds: Math.floor(now / 1000),
    offsetMinutes,
  };
}

/** The server itself, as committer of what somebody else authored or nobody asked for by name. */
export function serverSignature(now: number, offsetMinutes: number): Signature {
  return { name: 'Hob', email: 'noreply@hob', seconds: Math.floor(now / 1000), offsetMinutes };
}
