import { clientOf } from '#platform/client-address.ts';
import { createSerialQueues } from '#platform/serial-queues.ts';

import type { Ports } from '../../ports/ports.ts';
import { addressFailuresMax, loginFailuresMax } from '../login-throttle.ts';
import { createSharedFailures } from '../shared-failures.ts';

/** Device codes entered by one account that wait for each other. */
const waitingMax = 10;

export interface DeviceCodeThrottle {
  /** Runs `find`, which looks for the code that a user has entered; what it does not find counts as a wrong code. */
  attempt<T>(
    from: { readonly accountId: number; readonly address: string },
    find: () => Promise<T | undefined>,
  ): Promise<DeviceCodeAttempt<T>>;
}

export type DeviceCodeAttempt<T> =
  | { readonly kind: 'found'; readonly found: T }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many' };

/**
 * Slows down guessing of codes that programs of others show (RFC 8628, 5.1): as many wrong ones as of passwords lock this page for an account
 * or an address. They count apart from passwords, so that typing errors here lock nobody out. The codes of one account are looked up in
 * turn, so that parallel attempts get no more guesses.
 */
export function createDeviceCodeThrottle(
  ports: Pick<Ports, 'clock' | 'counters'>,
): DeviceCodeThrottle {
  const ofAccounts = createSharedFailures(ports, {
    name: 'wrong device codes of account',
    failuresMax: loginFailuresMax,
  });
  const ofAddresses = createSharedFailures(ports, {
    name: 'wrong device codes from',
    failuresMax: addressFailuresMax,
  });
  const queues = createSerialQueues();
  return {
    async attempt({ accountId, address: remoteAddress }, find) {
      const account = String(accountId);
      const address = clientOf(remoteAddress);
      if (queues.length(account) > waitingMax) return { kind: 'too-many' };
      return queues.run(account, async () => {
        if ((await ofAccounts.isLocked(account)) || (await ofAddresses.isLocked(address))) {
          return { kind: 'too-many' };
        }
        const found = await find();
        if (found !== undefined) return { kind: 'found', found };
        await Promise.all([ofAccounts.fail(account), ofAddresses.fail(address)]);
        return { kind: 'wrong' };
      });
    },
  };
}
