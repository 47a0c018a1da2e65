import { findAccount, passwordHash } from '../../accounts/account-store.ts';
import { type Account, caseless } from '../../model/account.ts';
import type { Ports } from '../../ports/ports.ts';
import type { PasswordSignIn, SignInResult } from '../password-sign-in.ts';
import { sha256 } from '../token.ts';
import {
  deletePendingSignIn,
  findPendingSignIn,
  insertPendingSignIn,
  insertSession,
  loginOfEmail,
  findSessionOwner,
} from './session-store.ts';
import {
  makeSecret,
  passwordMark,
  pendingMilliseconds,
  secretBytes,
  sessionMilliseconds,
  type Session,
} from './session.ts';

type SignInPorts = Pick<Ports, 'clock' | 'database' | 'randomBytes'>;

interface SignInInput {
  /** A login or an e-mail address, as people know themselves. */
  readonly name: string;
  readonly password: string;
  /** Where it comes from. */
  readonly address: string;
}

type SignInOutcome =
  /** `secret` is for the browser's cookie, and has never been in one before. */
  | { readonly kind: 'signed-in'; readonly secret: string }
  /** The password is right; the code is to come from the browser with this secret. */
  | { readonly kind: 'code-awaited'; readonly secret: string }
  | Exclude<SignInResult, { kind: 'signed-in' }>;

/** Starts a session, or a pending sign-in if a code is required. `PasswordSignIn` throttles guessing. */
export async function signIn(
  ports: SignInPorts,
  passwords: PasswordSignIn,
  { name, password, address }: SignInInput,
): Promise<SignInOutcome> {
  const { login, mark } = await ports.database.read(async (sql) => {
    const found = name.includes('@') ? await loginOfEmail(sql, caseless(name)) : undefined;
    const account = await findAccount(sql, found ?? name);
    // Read before the password is checked, so that a password changed meanwhile starts no session.
    const hash = account && (await passwordHash(sql, account.id));
    return { login: found ?? name, mark: hash === undefined ? '' : passwordMark(hash) };
  });
  const result = await passwords.signIn({ login, password, code: undefined, address });
  if (result.kind === 'signed-in') return beginSession(ports, result.account, mark);
  if (result.kind !== 'code-required') return result;
  const account = await ports.database.read((sql) => findAccount(sql, login));
  if (!account) return { kind: 'bad-credentials' };
  const secret = makeSecret(ports.randomBytes(secretBytes));
  const now = ports.clock.now();
  await ports.database.write((sql) =>
    insertPendingSignIn(sql, {
      sha256: sha256(secret),
      accountId: account.id,
      passwordSha256: mark,
      now,
      expiresAt: now + pendingMilliseconds,
    }),
  );
  return { kind: 'code-awaited', secret };
}

/** Completes a pending sign-in with a code. `expired`: the user must start again with the password. */
export async function signInWithCode(
  ports: SignInPorts,
  passwords: PasswordSignIn,
  input: { readonly pending: string; readonly code: string; readonly address: string },
): Promise<SignInOutcome | { readonly kind: 'expired' }> {
  const pending = sha256(input.pending);
  const found = await ports.database.read(async (sql) => {
    const account = await findPendingSignIn(sql, pending, ports.clock.now());
    const hash = account && (await passwordHash(sql, account.id));
    return hash === undefined ? undefined : { account, mark: passwordMark(hash) };
  });
  if (!found?.account) return { kind: 'expired' };
  const result = await passwords.signInWithCode({
    account: found.account,
    code: input.code,
    address: input.address,
  });
  if (result.kind !== 'signed-in') return result;
  await ports.database.write((sql) => deletePendingSignIn(sql, pending));
  return beginSession(ports, result.account, found.mark);
}

async function beginSession(
  ports: SignInPorts,
  account: Account,
  mark: string,
): Promise<SignInOutcome> {
  const secret = makeSecret(ports.randomBytes(secretBytes));
  const now = ports.clock.now();
  await ports.database.write((sql) =>
    insertSession(sql, {
      sha256: sha256(secret),
      accountId: account.id,
      passwordSha256: mark,
      now,
      expiresAt: now + sessionMilliseconds,
    }),
  );
  return { kind: 'signed-in', secret };
}

/** The session of a cookie. Only web pages use cookies; the API and git do not. */
export async function findSession(
  { database, clock }: Pick<Ports, 'clock' | 'database'>,
  secret: string,
): Promise<Session | undefined> {
  const account = await database.readOne((sql) =>
    findSessionOwner(sql, sha256(secret), clock.now()),
  );
  return account && { account, secret };
}
