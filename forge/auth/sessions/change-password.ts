import { replacePasswordHash } from '../../accounts/account-store.ts';
import { passwordProblem } from '../../accounts/create-user.ts';
import { refuse } from '../../errors/api-error.ts';
import { writeAccounts } from '../../events/invalidate.ts';
import type { Account } from '../../model/account.ts';
import type { Ports } from '../../ports/ports.ts';
import type { PasswordSignIn } from '../password-sign-in.ts';
import { sha256 } from '../token.ts';
import { makeSecret, passwordMark, secretBytes, sessionMilliseconds } from './session.ts';
import { insertSession } from './session-store.ts';

/** Who says to be the owner of an account. */
export interface PasswordClaim {
  readonly account: Account;
  readonly password: string;
  /** Needed only where the second factor itself is changed. */
  readonly code?: string;
  /** Where it comes from. */
  readonly address: string;
}

/** Refuses a wrong password, which counts as an attempt to sign in. Returns the hash that it was checked against. */
export async function requirePassword(
  passwords: PasswordSignIn,
  { account, password, address }: PasswordClaim,
): Promise<void> {
  const result = await passwords.signIn({
    login: account.login,
    password,
    code: undefined,
    address,
  });
  if (result.kind === 'too-many-logins' || result.kind === 'suspended') refuse(result);
  if (result.kind === 'bad-credentials') {
    refuse({ kind: 'unprocessable', message: 'The present password is wrong.' });
  }
}

/** Changes the password, which ends every session of the account, and begins one for the browser that asked. */
export async function changePassword(
  ports: Pick<Ports, 'clock' | 'database' | 'passwords' | 'randomBytes'>,
  passwords: PasswordSignIn,
  claim: PasswordClaim,
  password: string,
): Promise<string> {
  const problem = passwordProblem(password);
  if (problem !== undefined) refuse({ kind: 'unprocessable', message: `The new ${problem}.` });
  await requirePassword(passwords, claim);
  const hash = await ports.passwords.hash(password);
  const secret = makeSecret(ports.randomBytes(secretBytes));
  const now = ports.clock.now();
  const { id } = claim.account;
  await writeAccounts(ports.database, async (sql) => {
    await replacePasswordHash(sql, id, hash, now);
    await insertSession(sql, {
      sha256: sha256(secret),
      accountId: id,
      passwordSha256: passwordMark(hash),
      now,
      expiresAt: now + sessionMilliseconds,
    });
  });
  return secret;
}
