import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import type { AutoMerge } from '../model/pull.ts';

/** Notified when auto-merge was enabled for a pull. */
export const autoMergesChannel = 'auto merges';

/** Enables auto-merge for an open pull, or disables it. Returns false if the pull is not open. */
export async function setAutoMerge(
  sql: RepositoryWrite,
  pullId: number,
  autoMerge: AutoMerge | undefined,
): Promise<boolean> {
  const changed = await sql.run(
    `update pulls set auto_merge_at = $2, auto_merge_by_id = $3, auto_merge_method = $4, auto_merge_title = $5,
       auto_merge_message = $6, auto_merge_head_sha = $7
     where id = $1 and open = 1`,
    pullId,
    autoMerge?.at ?? null,
    autoMerge?.byId ?? null,
    autoMerge?.method ?? null,
    autoMerge?.title ?? null,
    autoMerge?.message ?? null,
    autoMerge?.headSha ?? null,
  );
  if (autoMerge) sql.notify(autoMergesChannel);
  return changed > 0;
}

/** Open pulls with auto-merge, of all repositories or of one, oldest first. */
export async function autoMergingPulls(
  sql: Sql,
  repositoryId?: number,
): Promise<{ readonly id: number; readonly repositoryId: number }[]> {
  const rows = await sql.all<{ id: number; repository_id: number }>(
    `select id, repository_id from pulls
     where auto_merge_at is not null and open = 1 ${repositoryId === undefined ? '' : 'and repository_id = $1'}
     order by auto_merge_at, id`,
    ...(repositoryId === undefined ? [] : [repositoryId]),
  );
  return rows.map(({ id, repository_id: repository }) => ({ id, repositoryId: repository }));
}

export async function countAutoMerges(sql: Sql, repositoryId: number): Promise<number> {
  return (await autoMergingPulls(sql, repositoryId)).length;
}
