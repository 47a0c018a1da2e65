import type { Sql } from '#platform/database/database.ts';

/** A path that one user works on: clients of Git LFS refuse to push changes of it to others. */
export interface LfsLock {
  readonly id: number;
  readonly path: string;
  readonly ownerId: number;
  readonly ownerLogin: string;
  /** Milliseconds since the epoch. */
  readonly lockedAt: number;
}

export interface LockFilter {
  readonly path?: string;
  readonly id?: number;
  /** Those after this one. */
  readonly after: number;
  readonly limit: number;
}

interface LockRow {
  id: number;
  path: string;
  owner_id: number;
  login: string;
  created_at: number;
}

const selection = `select l.id, l.path, l.owner_id, a.login, l.created_at
  from lfs_locks l join accounts a on a.id = l.owner_id where l.repository_id = $1`;

/** In the order in which they were made. */
export async function listLocks(
  sql: Sql,
  repositoryId: number,
  { path, id, after, limit }: LockFilter,
): Promise<LfsLock[]> {
  const rows = await sql.all<LockRow>(
    `${selection} and l.id > $2 and ($3 = '' or l.path = $3)
       and (cast($4 as bigint) is null or l.id = cast($4 as bigint))
     order by l.id limit $5`,
    repositoryId,
    after,
    path ?? '',
    id ?? null,
    limit,
  );
  return rows.map(lockFromRow);
}

export async function countLocks(sql: Sql, repositoryId: number): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from lfs_locks where repository_id = $1`,
    repositoryId,
  );
  return row?.count ?? 0;
}

/** false if the path is locked. */
export async function insertLock(
  sql: Sql,
  lock: { repositoryId: number; path: string; ownerId: number; now: number },
): Promise<boolean> {
  const inserted = await sql.run(
    `insert into lfs_locks (repository_id, path, owner_id, created_at) values ($1, $2, $3, $4)
     on conflict (repository_id, path) do nothing`,
    lock.repositoryId,
    lock.path,
    lock.ownerId,
    lock.now,
  );
  return inserted > 0;
}

export async function deleteLock(sql: Sql, repositoryId: number, id: number): Promise<boolean> {
  const deleted = await sql.run(
    `delete from lfs_locks where repository_id = $1 and id = $2`,
    repositoryId,
    id,
  );
  return deleted > 0;
}

function lockFromRow(row: LockRow): LfsLock {
  return {
    id: row.id,
    path: row.path,
    ownerId: row.owner_id,
    ownerLogin: row.login,
    lockedAt: row.created_at,
  };
}
