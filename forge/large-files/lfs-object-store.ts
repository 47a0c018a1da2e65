import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';

/** An object of Git LFS, by the SHA-256 of its bytes. */
export interface LfsObject {
  readonly oid: string;
  readonly size: number;
  /** The name of its file (ports/asset-files.ts). */
  readonly file: string;
}

/**
 * Objects by id, wherever in the network of the repository they were uploaded: pulls of forks bring pointers to them, and no objects.
 */
export async function findObjects(
  sql: Sql,
  repositoryId: number,
  oids: readonly string[],
): Promise<Map<string, LfsObject>> {
  if (oids.length === 0) return new Map();
  const rows = await sql.all<LfsObject>(
    `select l.oid, l.size, l.file from lfs_objects l join repositories r on r.id = l.repository_id
     where l.oid in (${placeholders(oids.length, 2)})
       and r.network_id = (select o.network_id from repositories o where o.id = $1)`,
    repositoryId,
    ...oids,
  );
  return new Map(rows.map((row) => [row.oid, row]));
}

/** false if the repository has the object. */
export async function insertObject(
  sql: Sql,
  repositoryId: number,
  { oid, size, file }: LfsObject,
  now: number,
): Promise<boolean> {
  const inserted = await sql.run(
    `insert into lfs_objects (repository_id, oid, size, file, created_at) values ($1, $2, $3, $4, $5)
     on conflict (repository_id, oid) do nothing`,
    repositoryId,
    oid,
    size,
    file,
    now,
  );
  return inserted > 0;
}

/** What the objects of the repository itself take on disk. */
export async function objectKibibytes(sql: Sql, repositoryId: number): Promise<number> {
  const row = await sql.get<{ bytes: number | null }>(
    `select cast(sum(size) as bigint) as bytes from lfs_objects where repository_id = $1`,
    repositoryId,
  );
  return Math.ceil((row?.bytes ?? 0) / 1024);
}

/** Before a repository leaves its network: what it has stays for the others, and what they have goes with it. */
export async function shareObjects(
  sql: Sql,
  repositoryId: number,
  direction: 'leave' | 'leave and take',
): Promise<void> {
  await sql.run(
    `insert into lfs_objects (repository_id, oid, size, file, created_at)
     select n.id, l.oid, l.size, l.file, l.created_at from lfs_objects l join repositories n on n.id =
       (select min(o.id) from repositories o join repositories r on r.network_id = o.network_id
        where r.id = $1 and o.id <> $1 and o.state = 'ready')
     where l.repository_id = $1 on conflict (repository_id, oid) do nothing`,
    repositoryId,
  );
  if (direction === 'leave') return;
  await sql.run(
    `insert into lfs_objects (repository_id, oid, size, file, created_at)
     select r.id, l.oid, l.size, l.file, l.created_at from lfs_objects l
       join repositories o on o.id = l.repository_id join repositories r on r.network_id = o.network_id
     where r.id = $1 and o.id <> $1 on conflict (repository_id, oid) do nothing`,
    repositoryId,
  );
}
