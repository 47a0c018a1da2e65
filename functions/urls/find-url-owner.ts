import type { Sql } from '#platform/database/database.ts';

import { findAlias } from '../versions/alias-store.ts';
import { aliasNotFound } from '../versions/find-function.ts';
import { findFunction } from '../configuration/function-store.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { namesAlias, type FunctionReference, type Site } from '../model/function-name.ts';

/** The id of the function that a URL is to be made for; versions have none. */
export async function findUrlOwner(
  sql: Sql,
  site: Site,
  { name, qualifier }: FunctionReference,
): Promise<number> {
  if (qualifier !== undefined && !namesAlias(qualifier)) {
    throw invalidParameter(
      'Function URLs are for functions and aliases. Please specify either a function name or the name of an alias.',
    );
  }
  const found = await findFunction(sql, name);
  if (!found) throw functionMissing();
  if (qualifier !== undefined && !(await findAlias(sql, found.id, qualifier))) {
    throw aliasNotFound(site, name, qualifier);
  }
  return found.id;
}

export function functionMissing(): FunctionsError {
  return new FunctionsError('ResourceNotFoundException', 'Function does not exist');
}
