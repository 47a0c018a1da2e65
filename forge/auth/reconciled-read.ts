import type { Sql } from '#platform/database/database.ts';

import type { Ports } from '../ports/ports.ts';

/**
 * The read that authorizes a request to a repository. After a crash it waits until refs and rows of the network agree, so
 * that no client sees an inconsistent state, and is then repeated. It waits for the whole network, because the pulls of one
 * repository follow the branches of another.
 */
export function reconciledRead<T extends OfNetwork>(
  { database, reconciliation }: Pick<Ports, 'database' | 'reconciliation'>,
  read: (sql: Sql) => Promise<T>,
): Promise<T> {
  return afterReconciliation(reconciliation, () => database.read(read));
}

interface OfNetwork {
  readonly networkId: number | undefined;
}

/** The same for a `read` that begins its own transaction, or has its result cached (routing/authorize-operation.ts). */
export async function afterReconciliation<T extends OfNetwork>(
  reconciliation: Ports['reconciliation'],
  read: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const pending = reconciliation.keys();
    const result = await read();
    const { networkId } = result;
    if (networkId === undefined || !pending.has(networkId)) return result;
    await reconciliation.done(networkId);
  }
}
