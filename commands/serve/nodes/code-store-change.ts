import { shownLocation } from '#functions/code/archives/archives-location.ts';
import { findClaim } from '#functions/code/archives/claim-store.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Settings } from '#settings/setting-values.ts';

import { databaseNow, findOther } from './node-store.ts';

/**
 * A node that is the first with HOB_CODE moves the archives there, and nodes that run without would not find them any more. A node with it
 * has claimed the store before it joins, so a server that runs where there is no claim has none. Nodes with different stores would not find each
 * other's archives.
 */
export async function requireNoOthersWithOtherStore(
  database: Pick<Database, 'read'>,
  { cluster, code }: Pick<Settings, 'cluster' | 'code'>,
  serverId: string,
): Promise<void> {
  if (!cluster || !code) return;
  const location = shownLocation(code);
  const { claim, other } = await database.read(async (sql) => ({
    claim: await findClaim(sql),
    other: await findOther(sql, serverId, await databaseNow(sql)),
  }));
  if (!other || claim?.location === location) return;
  const its = claim === undefined ? 'without HOB_CODE' : `with the code in ${claim.location}`;
  throw new OperatorError(
    `The server "${other.name}" runs ${its}, or ended less than ten seconds ago, and HOB_CODE of this one is ${location}: stop all nodes, set the same for all of them, and start them again.`,
  );
}
