import type { Ports } from '../ports/ports.ts';
import { createFailureWatch, windowMilliseconds } from './lockout.ts';

/** Addresses and accounts whose failures are counted, of each kind. */
const keysMax = 10_000;

export interface SharedFailures {
  isLocked(key: string): Promise<boolean>;
  /** Resolves when other nodes know of it, as far as they can. */
  fail(key: string): Promise<void>;
}

/**
 * Counts failures by key, such as an address: in memory alone, or on all nodes of a cluster together while their counters can be reached,
 * since these requests must not fill a table. A node locks a key for itself once it knows that there are too many failures, so that the
 * lock outlives the counter.
 */
export function createSharedFailures(
  { clock, counters }: Pick<Ports, 'clock' | 'counters'>,
  { name, failuresMax }: { readonly name: string; readonly failuresMax: number },
): SharedFailures {
  const own = createFailureWatch(failuresMax, keysMax);

  async function addShared(key: string, amount: number): Promise<void> {
    const counted = (await counters?.add(`${name} ${key}`, amount, windowMilliseconds))?.sum;
    if (counted !== undefined && counted >= failuresMax) own.lock(key, clock.now());
  }

  return {
    async isLocked(key) {
      if (own.left(key, clock.now()) > 0) await addShared(key, 0);
      return own.left(key, clock.now()) === 0;
    },

    async fail(key) {
      // Failures during a lock do not extend it.
      if (own.left(key, clock.now()) === 0) return;
      own.fail(key, clock.now());
      await addShared(key, 1);
    },
  };
}
