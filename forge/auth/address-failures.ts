import type { SharedCounters } from '#platform/shared-counters.ts';

import type { Ports } from '../ports/ports.ts';
import { createFailureWatch, windowMilliseconds } from './lockout.ts';

/** Bad passwords, whatever their logins, that lock passwords from an address or IPv6 network. */
const addressFailuresMax = 100;
const addressesMax = 10_000;

export interface AddressFailures {
  isLocked(address: string): Promise<boolean>;
  /** Resolves when other nodes know of it, as far as they can. */
  fail(address: string): Promise<void>;
}

/**
 * In memory alone, or on all nodes of a cluster together while their counters can be reached: anonymous requests must not fill a table. A
 * node locks an address for itself once it knows that there are too many failures, so that the lock outlives the counter.
 */
export function createAddressFailures({
  clock,
  counters,
}: Pick<Ports, 'clock' | 'counters'>): AddressFailures {
  const own = createFailureWatch(addressFailuresMax, addressesMax);

  async function addShared(address: string, amount: number): Promise<void> {
    const counted = await sharedFailures(counters, address, amount);
    if (counted !== undefined && counted >= addressFailuresMax) own.lock(address, clock.now());
  }

  async function fail(address: string): Promise<void> {
    // Failures during a lock do not extend it.
    if (own.left(address, clock.now()) === 0) return;
    own.fail(address, clock.now());
    await addShared(address, 1);
  }

  return {
    async isLocked(address) {
      if (own.left(address, clock.now()) > 0) await addShared(address, 0);
      return own.left(address, clock.now()) === 0;
    },
    fail,
  };
}

async function sharedFailures(
  counters: SharedCounters | undefined,
  address: string,
  amount: number,
): Promise<number | undefined> {
  return (await counters?.add(`bad passwords ${address}`, amount, windowMilliseconds))?.sum;
}
