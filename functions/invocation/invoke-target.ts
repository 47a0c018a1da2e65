import type { Sql } from '#platform/database.ts';

import { findAliasRoute } from '../aliases/alias-store.ts';
import { latest } from '../configuration/function-record.ts';
import type { FunctionReference } from '../identity/function-name.ts';
import { findInvocable, type Invocable } from './invocation-store.ts';

/** The version that an invocation runs: the one named, or one of those that an alias shares it out to. */
export async function findTarget(
  sql: Sql,
  { name, qualifier = latest }: FunctionReference,
  fraction: () => number,
): Promise<Invocable | undefined> {
  if (qualifier === latest || qualifier === `${latest}.PUBLISHED`)
    return findInvocable(sql, name, 0);
  if (/^\d+$/.test(qualifier)) return findInvocable(sql, name, Number(qualifier));
  const route = await findAliasRoute(sql, name, qualifier);
  if (!route) return undefined;
  const other = route.other && fraction() < route.other.weight ? route.other.number : undefined;
  return findInvocable(sql, name, other ?? route.number);
}
