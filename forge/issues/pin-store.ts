import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';

export async function countPinned(sql: Sql, repositoryId: number): Promise<number> {
  const row = await sql.get<{ total: number }>(
    `select count(*) as total from issues where repository_id = $1 and pinned_at is not null`,
    repositoryId,
  );
  return row?.total ?? 0;
}

export async function setPinned(
  sql: RepositoryWrite,
  issueId: number,
  pinnedAt: number | null,
): Promise<void> {
  await sql.run(`update issues set pinned_at = $2 where id = $1`, issueId, pinnedAt);
}
