import { clientOf } from '#platform/client-address.ts';
import { PasswordsBusy } from '#platform/password.ts';

import type { Ports } from '../ports/ports.ts';
import { addFailure, createFailureWatch, failuresLeft } from './lockout.ts';
import { findLoginFailures, putLoginFailures } from './login-failure-store.ts';
import { createSharedFailures } from './shared-failures.ts';

/** Wrong passwords that lock a login, and wrong device codes that lock the page where an account enters them. */
export const loginFailuresMax = 10;
/** Logins whose failures are counted; the oldest are evicted. */
const loginsMax = 100_000;
/**
 * Wrong passwords, whatever their logins, that lock passwords from an address or IPv6 network; also wrong device codes, which
 * lock the page where they are entered.
 */
export const addressFailuresMax = 100;
/** Attempts with one login that wait for others with it; more are answered 503. */
const waitingMax = 100;

/** An attempt in progress. The caller must end it in every case. */
export interface LoginAttempt {
  /** Resolves when a failure is durable. */
  end(outcome: 'right' | 'wrong'): Promise<void>;
}

export interface LoginThrottle {
  /** Starts an attempt when fewer are in progress than may still fail; undefined: locked (docs/specification/forge.md 3.8). */
  begin(accountId: number | undefined, address: string): Promise<LoginAttempt | undefined>;
}

/**
 * Slows down guessing. Failures of a login are rows, so that its lock holds on every node and across restarts. They are counted in
 * memory as well, where they count even if nothing can be written. A login is locked only by failures of a login that exists, so that
 * rows are bounded; an attempt counts as failed while it is under way, so that parallel attempts get no more guesses than those in turn.
 */
export function createLoginThrottle({
  clock,
  database,
  counters,
}: Pick<Ports, 'clock' | 'database' | 'counters'>): LoginThrottle {
  const logins = createFailureWatch(loginFailuresMax, loginsMax);
  const addresses = createSharedFailures(
    { clock, counters },
    { name: 'bad passwords', failuresMax: addressFailuresMax },
  );
  const underWay = new Map<number, UnderWay>();
  return {
    async begin(accountId, remoteAddress) {
      const address = clientOf(remoteAddress);
      if (await addresses.isLocked(address)) return undefined;
      if (accountId === undefined) {
        return {
          async end(outcome) {
            if (outcome === 'wrong') await addresses.fail(address);
          },
        };
      }
      if (!(await acquireSlot(accountId))) return undefined;
      return {
        async end(outcome) {
          try {
            if (outcome === 'wrong') {
              await Promise.all([addresses.fail(address), failLogin(accountId)]);
            }
          } finally {
            releaseSlot(accountId);
          }
        },
      };
    },
  };

  async function failLogin(accountId: number): Promise<void> {
    logins.fail(String(accountId), clock.now());
    await database.write(async (sql) => {
      const known = await findLoginFailures(sql, accountId);
      const record = addFailure(known, loginFailuresMax, clock.now());
      if (record !== known) await putLoginFailures(sql, accountId, record);
    });
  }

  async function failuresLeftOf(accountId: number): Promise<number> {
    const stored = await database.read((sql) => findLoginFailures(sql, accountId));
    const now = clock.now();
    const left = failuresLeft(stored, loginFailuresMax, now);
    return Math.min(left, logins.left(String(accountId), now));
  }

  async function acquireSlot(accountId: number): Promise<boolean> {
    for (;;) {
      const left = await failuresLeftOf(accountId);
      if (left === 0) return false;
      const attempts = underWay.get(accountId) ?? { running: 0, waiting: [] };
      underWay.set(accountId, attempts);
      if (attempts.running < left) {
        attempts.running += 1;
        return true;
      }
      if (attempts.waiting.length >= waitingMax) throw new PasswordsBusy();
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
  }

  function releaseSlot(accountId: number): void {
    const attempts = underWay.get(accountId);
    if (!attempts) return;
    attempts.running -= 1;
    if (attempts.running === 0 && attempts.waiting.length === 0) underWay.delete(accountId);
    // Wakes all of them, because if the login is now locked, all of them must fail.
    for (const wake of attempts.waiting.splice(0)) wake();
  }
}

interface UnderWay {
  running: number;
  readonly waiting: (() => void)[];
}
