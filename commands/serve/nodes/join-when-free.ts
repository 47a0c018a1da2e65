import { setTimeout as delay } from 'node:timers/promises';

import { OperatorError } from '#platform/operator-error.ts';

import type { MembershipOptions } from './membership.ts';
import type { NodeClock } from './node-clock.ts';
import { joinNodes } from './node-store.ts';

/** Waits until the lease of a server that was alone and died has run out. Resolves with the time at which it asked. */
export async function joinWhenFree(
  { database, node, log }: Pick<MembershipOptions, 'database' | 'node' | 'log'>,
  clock: NodeClock,
): Promise<number> {
  await clock.check(database);
  let first: number | undefined;
  for (;;) {
    const asked = performance.now();
    const result = await database.write((sql) => joinNodes(sql, node));
    if (result.kind === 'joined') return asked;
    const { name, until, remainingMilliseconds } = result;
    if (first !== undefined && until > first) {
      throw new OperatorError(
        `The server "${name}" uses this database alone. Start it as a node of the cluster, with --node-address and --cluster-data, or stop it.`,
      );
    }
    if (first === undefined)
      log.info({ name, remainingMilliseconds }, 'waiting for a lease to end');
    first ??= until;
    await delay(Math.min(remainingMilliseconds + 50, 500));
  }
}
