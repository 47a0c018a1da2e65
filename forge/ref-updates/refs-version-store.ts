import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';

/** A version for each repository, raised by every write of rows that depend on its refs. */
export type RefsVersions = ReadonlyMap<number, number>;

export async function refsVersions(
  sql: Sql,
  repositoryIds: readonly number[],
): Promise<RefsVersions> {
  const ids = [...new Set(repositoryIds)];
  const rows = await sql.all<{ id: number; refs_version: number }>(
    `select id, refs_version from repositories where id in (${placeholders(ids.length)})`,
    ...ids,
  );
  return new Map(rows.map((row) => [row.id, row.refs_version]));
}

/** The versions of a repository and of every repository with an open pull from it: their rows depend on its branches. */
export async function refsVersionsAround(sql: Sql, repositoryId: number): Promise<RefsVersions> {
  const rows = await sql.all<{ repository_id: number }>(
    `select distinct repository_id from pulls where head_repository_id = $1 and open = 1`,
    repositoryId,
  );
  return refsVersions(sql, [repositoryId, ...rows.map((row) => row.repository_id)]);
}

/** Raises the versions; false if one of them has changed, in which case the transaction must be rolled back. */
export async function raiseRefsVersions(
  sql: RepositoryWrite,
  versions: RefsVersions,
): Promise<boolean> {
  // Always in the same order, so that two transactions cannot deadlock.
  const ordered = [...versions].toSorted(([one], [other]) => one - other);
  for (const [repositoryId, version] of ordered) {
    const raised = await sql.run(
      `update repositories set refs_version = refs_version + 1 where id = $1 and refs_version = $2`,
      repositoryId,
      version,
    );
    if (raised === 0) return false;
  }
  return true;
}
