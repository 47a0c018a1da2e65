import type { Sql } from '#platform/database/database.ts';

/** Access to the large files of a repository, which its client got over SSH. */
export interface LfsGrant {
  readonly keyId: number;
  readonly repositoryId: number;
  readonly writes: boolean;
}

/** Those that have ended are removed with it. */
export async function insertGrant(
  sql: Sql,
  grant: LfsGrant & { readonly sha256: string; readonly expiresAt: number; readonly now: number },
): Promise<void> {
  await sql.run(`delete from lfs_grants where expires_at <= $1`, grant.now);
  await sql.run(
    `insert into lfs_grants (sha256, key_id, repository_id, writes, expires_at) values ($1, $2, $3, $4, $5)`,
    grant.sha256,
    grant.keyId,
    grant.repositoryId,
    Number(grant.writes),
    grant.expiresAt,
  );
}

export async function findLfsGrant(
  sql: Sql,
  sha256: string,
  now: number,
): Promise<LfsGrant | undefined> {
  const row = await sql.get<{ key_id: number; repository_id: number; writes: number }>(
    `select key_id, repository_id, writes from lfs_grants where sha256 = $1 and expires_at > $2`,
    sha256,
    now,
  );
  return row && { keyId: row.key_id, repositoryId: row.repository_id, writes: row.writes === 1 };
}
