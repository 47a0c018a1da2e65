import { foreignKeyViolation } from '#platform/database/constraint-violation.ts';
import type { Sql } from '#platform/database/database.ts';

import { latest, type FunctionVersion, readVersionName } from '../configuration/function-record.ts';
import { findVersion, findFunction } from '../configuration/function-store.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import {
  functionArn,
  type FunctionReference,
  type AccountRegion,
  namesAlias,
} from '../model/function-name.ts';
import { findAliasRoute, type Alias, findAlias } from './alias-store.ts';

/** The version that a reference names, by number or by alias. */
export async function findReferred(
  sql: Sql,
  { name, qualifier = latest }: FunctionReference,
): Promise<FunctionVersion | undefined> {
  if (!namesAlias(qualifier)) return findVersion(sql, name, readVersionName(qualifier));
  const route = await findAliasRoute(sql, name, qualifier);
  return route && findVersion(sql, name, route.number);
}

/** Refuses with the ARN that the caller asked for. */
export function functionNotFound(
  accountRegion: AccountRegion,
  name: string,
  qualifier?: string,
): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    `Function not found: ${functionArn(accountRegion, name, qualifier)}`,
  );
}

/** Runs work that stores something of a function. If that was deleted after it was found, the caller learns so. */
export async function unlessDeleted<T>(
  accountRegion: AccountRegion,
  { name, qualifier }: FunctionReference,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!foreignKeyViolation(error)) throw error;
    throw functionNotFound(accountRegion, name, qualifier ?? latest);
  }
}

/** The error of operations on aliases when there is none of that name. */
export function aliasNotFound(
  accountRegion: AccountRegion,
  name: string,
  alias: string,
): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    `Cannot find alias arn: ${functionArn(accountRegion, name, alias)}`,
  );
}

/** The name alone, for operations on a whole function. */
export function checkUnqualified({ name, qualifier }: FunctionReference): string {
  if (qualifier !== undefined) throw onlyFunctions();
  return name;
}

/** The unpublished version, for operations that change it; its versions and aliases cannot be changed. */
export async function findLatest(
  sql: Sql,
  accountRegion: AccountRegion,
  { name, qualifier }: FunctionReference,
): Promise<FunctionVersion> {
  if (qualifier !== undefined && qualifier !== latest) throw onlyFunctions();
  const version = await findVersion(sql, name, 0);
  if (!version) throw functionNotFound(accountRegion, name);
  return version;
}

function onlyFunctions(): FunctionsError {
  return invalidParameter(
    'This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. Please specify either a function name or an unqualified function ARN.',
  );
}

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
  accountRegion: AccountRegion,
  { name, qualifier }: FunctionReference,
): Promise<Qualified> {
  if (qualifier !== undefined && namesAlias(qualifier)) {
    const found = await findFunction(sql, name);
    const alias = found && (await findAlias(sql, found.id, qualifier));
    if (!alias) throw aliasNotFound(accountRegion, name, qualifier);
    return { kind: 'alias', functionId: found.id, alias };
  }
  const version = await findVersion(sql, name, readVersionName(qualifier ?? latest));
  if (!version) throw functionNotFound(accountRegion, name, qualifier);
  return { kind: 'version', functionId: version.functionId, version };
}

/** `$LATEST.PUBLISHED` is the unpublished version here, so nothing can be published to it. */
export function refusePublishTo(publishTo: string | undefined): void {
  if (publishTo === undefined) return;
  throw invalidParameter(
    `PublishTo ${publishTo} is not supported: $LATEST.PUBLISHED is the unpublished version. Omit PublishTo, and use Publish to publish a numbered version.`,
  );
}
