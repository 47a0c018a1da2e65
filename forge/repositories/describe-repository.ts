import type { Sql } from '#platform/database/database.ts';

import type { Caller } from '../model/caller.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import { permissionsIn } from './repository-access.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { relativesOf } from './repository-list-store.ts';
import { type RepositoryRelatives, representFullRepository } from './repository-json.ts';
import { repositoriesById } from './repository-store.ts';
import type { Repository } from '../model/repository.ts';

/** The detailed representation, with parent, source and template if the caller may read them. */
export async function describeRepository(
  sql: Sql,
  repository: Repository,
  permission: Permission,
  caller: Caller,
  urls: Urls,
): Promise<Json> {
  const relatives = await relativesOf(sql, repository);
  const template = await templateOf(sql, repository);
  const readable = await readableRelatives(sql, { ...relatives, template }, caller);
  return representFullRepository(repository, permission, readable, urls);
}

async function templateOf(sql: Sql, { templateId }: Repository): Promise<Repository | undefined> {
  if (templateId === null) return undefined;
  const template = (await repositoriesById(sql, [templateId])).get(templateId);
  return template?.state === 'ready' ? template : undefined;
}

async function readableRelatives(
  sql: Sql,
  relatives: RepositoryRelatives,
  caller: Caller,
): Promise<RepositoryRelatives> {
  const { parent, source, template } = relatives;
  const known = [parent, source, template].flatMap((relative) => relative ?? []);
  if (known.length === 0) return relatives;
  const permissions = await permissionsIn(
    sql,
    caller,
    known.map((relative) => relative.id),
  );
  const readable = (relative: Repository | undefined): Repository | undefined =>
    relative && atLeast(permissions.get(relative.id) ?? 'none', 'read') ? relative : undefined;
  return {
    ...relatives,
    parent: readable(parent),
    source: readable(source),
    template: readable(template),
  };
}
