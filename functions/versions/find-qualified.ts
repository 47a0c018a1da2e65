import type { Sql } from '#platform/database/database.ts';

import type { Alias } from '../model/alias.ts';
import { findAlias } from './alias-store.ts';
import { aliasNotFound, functionNotFound } from './find-function.ts';
import { readVersionName } from '../configuration/function-record.ts';
import type { FunctionVersion } from '../configuration/function-record.ts';
import { findFunction, findVersion } from '../configuration/function-store.ts';
import { namesAlias, type FunctionReference, type Site } from '../model/function-name.ts';

/** Finds the function, version or alias of a reference, for resources that belong to exactly one of these. */
export type Qualified = VersionNamed | AliasNamed;

interface VersionNamed {
  readonly kind: 'version';
  readonly functionId: number;
  readonly version: FunctionVersion;
}

interface AliasNamed {
  readonly kind: 'alias';
  readonly functionId: number;
  readonly alias: Alias;
}

/** Refuses with the error of operations on policies and provisioned concurrency (recorded). */
export async function findQualified(
  sql: Sql,
  site: Site,
  { name, qualifier }: FunctionReference,
): Promise<Qualified> {
  if (qualifier !== undefined && namesAlias(qualifier)) {
    const found = await findFunction(sql, name);
    const alias = found && (await findAlias(sql, found.id, qualifier));
    if (!alias) throw aliasNotFound(site, name, qualifier);
    return { kind: 'alias', functionId: found.id, alias };
  }
  const version = await findVersion(sql, name, numberOf(qualifier));
  if (!version) throw functionNotFound(site, name, qualifier);
  return { kind: 'version', functionId: version.functionId, version };
}

/** A qualifier with a dollar sign other than $LATEST names nothing. */
function numberOf(qualifier: string | undefined): number {
  if (qualifier === undefined) return 0;
  return qualifier.startsWith('$') || /^\d+$/.test(qualifier) ? readVersionName(qualifier) : -1;
}
