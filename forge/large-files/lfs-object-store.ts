import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';

/** An object of Git LFS, by the SHA-256 of its bytes. */
export interface LfsObject {
  readonly oid: string;
  readonly size: number;
  /** The name of its file (ports/asset-files.ts). */
  readonly file: string;
}

/** Those of the ids that one of the repositories has. */
export async function objectsIn(
  sql: Sql,
  repositoryIds: readonly number[],
  oids: readonly string[],
): Promise<Map<string, LfsObject>> {
  if (repositoryIds.length === 0 || oids.length === 0) return new Map();
  const rows = await sql.all<LfsObject>(
    `select oid, min(size) as size, min(file) as file from lfs_objects
     where repository_id in (${placeholders(repositoryIds.length)})
       and oid in (${placeholders(oids.length, repositoryIds.length + 1)}) group by oid`,
    ...repositoryIds,
    ...oids,
  );
  return new Map(rows.map((row) => [row.oid, row]));
}

/**
 * Repositories of a network, the oldest ones, in which an object of Git LFS is looked for: there are as many answers as forks.
 */
const holdersMax = 1000;

/** Other repositories of the network that have one of the objects, the oldest ones. */
export async function holdersOf(
  sql: Sql,
  repositoryId: number,
  oids: readonly string[],
): Promise<number[]> {
  if (oids.length === 0) return [];
  const rows = await sql.all<{ id: number }>(
    `select distinct r.id from lfs_objects l join repositories r on r.id = l.repository_id
     where l.oid in (${placeholders(oids.length, 2)}) and r.id <> $1
       and r.network_id = (select o.network_id from repositories o where o.id = $1)
     order by r.id limit ${holdersMax}`,
    repositoryId,
    ...oids,
  );
  return rows.map(({ id }) => id);
}

/** A part of what a repository has, in the order of ids, after one of them. */
export function objectsAfter(
  sql: Sql,
  repositoryId: number,
  oid: string,
  max: number,
): Promise<LfsObject[]> {
  return sql.all<LfsObject>(
    `select oid, size, file from lfs_objects where repository_id = $1 and oid > $2
     order by oid limit $3`,
    repositoryId,
    oid,
    max,
  );
}

/** How many of the objects the repository did not have. */
export async function insertObjects(
  sql: Sql,
  repositoryId: number,
  objects: readonly LfsObject[],
  now: number,
): Promise<number> {
  if (objects.length === 0) return 0;
  const rows = objects.map((_, index) => `($1, ${placeholders(3, 3 * index + 3)}, $2)`);
  return sql.run(
    `insert into lfs_objects (repository_id, oid, size, file, created_at) values ${rows.join(', ')}
     on conflict (repository_id, oid) do nothing`,
    repositoryId,
    now,
    ...objects.flatMap(({ oid, size, file }) => [oid, size, file]),
  );
}

/** What the objects of the repository itself take on disk. */
export async function objectKibibytes(sql: Sql, repositoryId: number): Promise<number> {
  const row = await sql.get<{ bytes: number | null }>(
    `select cast(sum(size) as bigint) as bytes from lfs_objects where repository_id = $1`,
    repositoryId,
  );
  return Math.ceil((row?.bytes ?? 0) / 1024);
}

export async function countObjects(sql: Sql, repositoryId: number): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from lfs_objects where repository_id = $1`,
    repositoryId,
  );
  return row?.count ?? 0;
}

/** Removes a part of what a repository has. How many those were. */
export function deleteSomeObjects(sql: Sql, repositoryId: number, max: number): Promise<number> {
  return sql.run(
    `delete from lfs_objects where repository_id = $1
       and oid in (select oid from lfs_objects where repository_id = $1 order by oid limit $2)`,
    repositoryId,
    max,
  );
}

export async function hasObjects(sql: Sql, repositoryId: number): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from lfs_objects where repository_id = $1 limit 1`,
    repositoryId,
  );
  return row !== undefined;
}

/** Gives a repository those of the objects that another one has. */
export async function linkObjectsOf(
  sql: Sql,
  sourceId: number,
  repositoryId: number,
  oids: readonly string[],
): Promise<void> {
  await sql.run(
    `insert into lfs_objects (repository_id, oid, size, file, created_at)
     select r.id, l.oid, l.size, l.file, l.created_at
     from lfs_objects l join repositories r on r.id = $2
     where l.repository_id = $1 and l.oid in (${placeholders(oids.length, 3)})
     on conflict (repository_id, oid) do nothing`,
    sourceId,
    repositoryId,
    ...oids,
  );
}
