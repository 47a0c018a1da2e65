import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

/** What the database knows of the timeline of an issue or pull; the commits of a pull are in git. */
export interface TimelineEntry {
  readonly kind: 'event' | 'comment' | 'review';
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The oldest first. Drafts of reviews are their authors' own. */
export async function timelineEntries(
  sql: Sql,
  issueId: number,
  page: PageBounds,
): Promise<{ readonly entries: readonly TimelineEntry[]; readonly total: number }> {
  const from = `(select 'event' as kind, e.id, e.created_at as at, 0 as rank
       from issue_events e where e.issue_id = $1
     union all select 'comment' as kind, c.id, c.created_at as at, 1 as rank
       from issue_comments c where c.issue_id = $1
     union all select 'review' as kind, r.id, r.submitted_at as at, 2 as rank
       from reviews r where r.pull_id = $1 and r.state <> 'PENDING') as items`;
  const list = { columns: 'kind, id, at', from, values: [issueId], order: 'at, rank, id' };
  const { rows, total } = await selectPage<TimelineEntry>(sql, list, page);
  return { entries: rows, total };
}
