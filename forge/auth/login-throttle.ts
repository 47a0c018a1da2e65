import { clientOf } from '#platform/client-address.ts';
import type { Clock } from '#platform/clock.ts';
import { PasswordsBusy } from '#platform/password.ts';

import { createFailureWatch } from './lockout.ts';

/** Failures that lock: bad passwords for a login, and bad credentials of any kind from an address or IPv6 network. */
const loginFailuresMax = 10;
const addressFailuresMax = 100;
const loginsMax = 100_000;
const addressesMax = 10_000;
/** Attempts with one login that may wait for others with the same login. */
const waitingMax = 100;

/** An attempt in progress. The caller must end it in every case. */
export interface LoginAttempt {
  end(outcome: 'right' | 'wrong'): void;
}

export interface LoginThrottle {
  /** Starts an attempt when fewer are in progress than may still fail; undefined: locked (forge 3.8). */
  begin(accountId: number | undefined, address: string): Promise<LoginAttempt | undefined>;
  /** Credentials without an account were wrong: they count towards the address alone. */
  failedWithoutLogin(address: string): void;
}

/**
 * Slows down guessing. A login is locked only by failures of a login that exists, so that the memory is bounded; an
 * attempt counts as failed while it is under way, so that parallel attempts get no more guesses than those in turn.
 */
export function createLoginThrottle(clock: Clock): LoginThrottle {
  const logins = createFailureWatch(loginFailuresMax, loginsMax);
  const addresses = createFailureWatch(addressFailuresMax, addressesMax);
  const underWay = new Map<string, UnderWay>();
  return {
    async begin(accountId, remoteAddress) {
      const address = clientOf(remoteAddress);
      if (addresses.left(address, clock.now()) === 0) return undefined;
      const failAddress = (): void => addresses.fail(address, clock.now());
      if (accountId === undefined) {
        return { end: (outcome) => (outcome === 'wrong' ? failAddress() : undefined) };
      }
      const login = String(accountId);
      if (!(await acquireSlot(login))) return undefined;
      return {
        end(outcome) {
          if (outcome === 'wrong') {
            logins.fail(login, clock.now());
            failAddress();
          }
          releaseSlot(login);
        },
      };
    },
    failedWithoutLogin: (address) => addresses.fail(clientOf(address), clock.now()),
  };

  async function acquireSlot(login: string): Promise<boolean> {
    for (;;) {
      const left = logins.left(login, clock.now());
      if (left === 0) return false;
      const attempts = underWay.get(login) ?? { running: 0, waiting: [] };
      underWay.set(login, attempts);
      if (attempts.running < left) {
        attempts.running += 1;
        return true;
      }
      if (attempts.waiting.length >= waitingMax) throw new PasswordsBusy();
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
  }

  function releaseSlot(login: string): void {
    const attempts = underWay.get(login);
    if (!attempts) return;
    attempts.running -= 1;
    if (attempts.running === 0 && attempts.waiting.length === 0) underWay.delete(login);
    // Wakes all of them, because if the login is now locked, all of them must fail.
    for (const wake of attempts.waiting.splice(0)) wake();
  }
}

interface UnderWay {
  running: number;
  readonly waiting: (() => void)[];
}
