import type { Sql } from '#platform/database/database.ts';

import { findAliasRoute } from '../versions/alias-store.ts';
import { latest } from '../configuration/function-record.ts';
import type { FunctionReference } from '../model/function-name.ts';
import { findInvocable, type Invocable } from './invocation-store.ts';

/** The version that is invoked, and the one to which an alias routes a share of its invocations. */
export interface Target {
  readonly usual: Invocable;
  readonly other: { readonly invocable: Invocable; readonly weight: number } | undefined;
}

export async function findTarget(
  sql: Sql,
  { name, qualifier = latest }: FunctionReference,
): Promise<Target | undefined> {
  const number = versionNumber(qualifier);
  if (number !== undefined) return only(sql, name, number);
  const route = await findAliasRoute(sql, name, qualifier);
  const target = route && (await only(sql, name, route.number));
  if (!target || !route.other) return target;
  const invocable = await findInvocable(sql, name, route.other.number);
  return invocable && { ...target, other: { invocable, weight: route.other.weight } };
}

/** Finding an alias takes several statements, a version one. */
export function namesAlias({ qualifier = latest }: FunctionReference): boolean {
  return versionNumber(qualifier) === undefined;
}

/** `$LATEST` is stored as version 0; undefined for an alias. */
function versionNumber(qualifier: string): number | undefined {
  if (qualifier === latest || qualifier === `${latest}.PUBLISHED`) return 0;
  return /^\d+$/.test(qualifier) ? Number(qualifier) : undefined;
}

/** `fraction` is a new random number for each invocation: 0 <= fraction < 1. */
export function chosenBy({ usual, other }: Target, fraction: number): Invocable {
  return other && fraction < other.weight ? other.invocable : usual;
}

async function only(sql: Sql, name: string, number: number): Promise<Target | undefined> {
  const usual = await findInvocable(sql, name, number);
  return usual && { usual, other: undefined };
}
