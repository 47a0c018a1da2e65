import { findClaim } from '#functions/code/archives/claim-store.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Settings } from '#settings/setting-values.ts';

import { databaseNow, findOther } from './node-store.ts';

/**
 * A node that is the first with HOB_CODE moves the archives there, and nodes that run without would not find them any more. A node with it
 * has claimed the store before it joins, so a server that runs where there is no claim has none.
 */
export async function requireNoOthersWithoutStore(
  database: Pick<Database, 'read'>,
  { cluster, code }: Pick<Settings, 'cluster' | 'code'>,
  serverId: string,
): Promise<void> {
  if (!cluster || !code) return;
  const other = await database.read(async (sql) =>
    (await findClaim(sql)) ? undefined : findOther(sql, serverId, await databaseNow(sql)),
  );
  if (!other) return;
  throw new OperatorError(
    `The server "${other.name}" runs without HOB_CODE, or has not been gone for ten seconds, and this one has it: stop all nodes, set it for all of them, and start them again.`,
  );
}
