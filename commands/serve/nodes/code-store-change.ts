import { shownLocation } from '#functions/code/archives/archives-location.ts';
import { requireNoClaim } from '#functions/code/archives/claim.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Settings } from '#settings/setting-values.ts';

import { findOtherStore } from './node-store.ts';

/**
 * Nodes with different stores would not find each other's archives. A node is asked three times: at its start; once it has claimed its store,
 * before it moves the archives there, which nodes without HOB_CODE would not find any more; and once it has joined. So of two that
 * start at once, at least one finds the other, and nothing is moved away from a node that has joined.
 */
export async function requireSameStore(
  database: Pick<Database, 'read'>,
  { cluster, code }: Pick<Settings, 'cluster' | 'code'>,
  serverId: string,
): Promise<void> {
  if (!cluster) return;
  if (!code) return requireNoClaim({ database });
  const location = shownLocation(code);
  const other = await database.read((sql) => findOtherStore(sql, serverId, location));
  if (!other) return;
  const its =
    other.codeStore === undefined ? 'without HOB_CODE' : `with the code in ${other.codeStore}`;
  throw new OperatorError(
    `The server "${other.name}" runs ${its}, or ended less than ten seconds ago, and HOB_CODE of this one is ${location}: stop all nodes, set the same for all of them, and start them again.`,
  );
}
