import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';

export async function countPinned(sql: Sql, repositoryId: number): Promise<number> {
  const row = await sql.get<{ total: number }>(
    `select count(*) as total from issues where repository_id = $1 and pinned_at is not null`,
    repositoryId,
  );
  return row?.total ?? 0;
}

/** The pinned issues of a repository, in the order in which they were pinned, each with the account that pinned it. */
export async function listPinned(
  sql: Sql,
  repositoryId: number,
): Promise<{ readonly issueId: number; readonly pinnedById: number | null }[]> {
  return sql.all<{ issueId: number; pinnedById: number | null }>(
    // Times do not order two pins of one millisecond.
    `select i.id as "issueId", e.actor_id as "pinnedById"
     from issues i left join issue_events e on e.id =
       (select max(p.id) from issue_events p where p.issue_id = i.id and p.event = 'pinned')
     where i.repository_id = $1 and i.pinned_at is not null order by e.id, i.id`,
    repositoryId,
  );
}

export async function setPinned(
  sql: RepositoryWrite,
  issueId: number,
  pinnedAt: number | null,
): Promise<void> {
  await sql.run(`update issues set pinned_at = $2 where id = $1`, issueId, pinnedAt);
}
