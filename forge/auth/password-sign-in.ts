import { findAccount } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import type { Ports } from '../ports/ports.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { checkSecondFactor } from './two-factor.ts';
import { createVerifiedPasswords } from './verified-password-cache.ts';

export interface PasswordAttempt {
  readonly login: string;
  readonly password: string;
  /** The code of a second factor, if one was sent. */
  readonly code: string | undefined;
  /** Where it comes from. */
  readonly address: string;
}

export type SignInResult =
  | {
      readonly kind: 'signed-in';
      readonly account: Account;
      /** The stored hash, if a password was given: it shows whether the password has changed since. */
      readonly passwordHash?: string;
    }
  | { readonly kind: 'bad-credentials' }
  | { readonly kind: 'too-many-logins' }
  /** The password is right. */
  | { readonly kind: 'suspended' }
  /** The password is right; a code is missing, wrong or used up. */
  | { readonly kind: 'code-required' };

/** The second half of an attempt whose first half, the password, was right. */
export interface CodeAttempt {
  readonly account: Account;
  readonly code: string;
  readonly address: string;
}

export interface PasswordSignIn {
  signIn(attempt: PasswordAttempt): Promise<SignInResult>;
  /** For browsers, which ask for the code on a separate page. Wrong codes count like wrong passwords. */
  signInWithCode(attempt: CodeAttempt): Promise<SignInResult>;
}

/** Checks passwords for the API, git and the web pages, so that none of them bypasses the lockout. */
export function createPasswordSignIn(
  ports: Pick<Ports, 'clock' | 'database' | 'passwords' | 'randomBytes' | 'counters'>,
): PasswordSignIn {
  const verified = createVerifiedPasswords(ports);
  const throttle = createLoginThrottle(ports);
  return {
    async signIn({ login, password, code, address }) {
      const account = await ports.database.read((sql) => findAccount(sql, login));
      const attempt = await throttle.begin(account?.id, address);
      if (!attempt) return { kind: 'too-many-logins' };
      let outcome: 'right' | 'wrong' = 'right';
      try {
        const passwordHash = await verified.verify(account?.id, password);
        if (passwordHash === undefined || account?.kind !== 'user') {
          outcome = 'wrong';
          return { kind: 'bad-credentials' };
        }
        if (account.suspendedAt !== null) return { kind: 'suspended' };
        const factor = await checkSecondFactor(ports, account.id, code);
        if (factor === 'right' || factor === 'not-enrolled') {
          return { kind: 'signed-in', account, passwordHash };
        }
        // Clients prompt for the code when it is missing, so only a wrong code counts as a failure.
        if (factor === 'wrong') outcome = 'wrong';
        return { kind: 'code-required' };
      } finally {
        await attempt.end(outcome);
      }
    },
    async signInWithCode({ account, code, address }) {
      const attempt = await throttle.begin(account.id, address);
      if (!attempt) return { kind: 'too-many-logins' };
      let outcome: 'right' | 'wrong' = 'right';
      try {
        const factor = await checkSecondFactor(ports, account.id, code);
        if (factor === 'right' || factor === 'not-enrolled') return { kind: 'signed-in', account };
        if (factor === 'wrong') outcome = 'wrong';
        return { kind: 'code-required' };
      } finally {
        await attempt.end(outcome);
      }
    },
  };
}
