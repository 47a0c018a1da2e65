import type { Sql } from '#platform/database/database.ts';

import type { Caller } from '../model/caller.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import { permissionsIn } from './repository-access.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { type RepositoryRelativesFound, relativesOf } from './repository-list-store.ts';
import { representFullRepository } from './repository-json.ts';
import type { Repository } from '../model/repository.ts';

/** The detailed representation, with parent and source if the caller may read them. */
export async function describeRepository(
  sql: Sql,
  repository: Repository,
  permission: Permission,
  caller: Caller,
  urls: Urls,
): Promise<Json> {
  const relatives = await relativesOf(sql, repository);
  const readable = await readableRelatives(sql, relatives, caller);
  return representFullRepository(repository, permission, readable, urls);
}

async function readableRelatives(
  sql: Sql,
  relatives: RepositoryRelativesFound,
  caller: Caller,
): Promise<RepositoryRelativesFound> {
  const { parent, source } = relatives;
  if (!parent && !source) return relatives;
  const known = [parent, source].flatMap((relative) => relative ?? []);
  const permissions = await permissionsIn(
    sql,
    caller,
    known.map((relative) => relative.id),
  );
  const readable = (relative: Repository | undefined): Repository | undefined =>
    relative && atLeast(permissions.get(relative.id) ?? 'none', 'read') ? relative : undefined;
  return { ...relatives, parent: readable(parent), source: readable(source) };
}
