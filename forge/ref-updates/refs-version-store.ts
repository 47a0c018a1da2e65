import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';

/** How often what rows say of each repository's refs has been written. */
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

/** Those of a repository and of every repository with an open pull from it: all whose rows follow its branches. */
export async function refsVersionsAround(sql: Sql, repositoryId: number): Promise<RefsVersions> {
  const rows = await sql.all<{ repository_id: number }>(
    `select distinct repository_id from pulls where head_repository_id = $1 and open = 1`,
    repositoryId,
  );
  return refsVersions(sql, [repositoryId, ...rows.map((row) => row.repository_id)]);
}

/** Raises the versions; false when one of them is not what it was, and then the transaction must be undone. */
export async function raiseRefsVersions(
  sql: RepositoryWrite,
  versions: RefsVersions,
): Promise<boolean> {
  // Always in the same order, so that two transactions do not wait for each other.
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
