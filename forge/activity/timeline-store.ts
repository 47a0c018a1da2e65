import type { Sql } from '#platform/database/database.ts';
import {
  type KeysetBounds,
  type KeysetList,
  countLists,
  type RowKey,
  selectSlices,
} from '#platform/database/keyset-store.ts';
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

/** What of a timeline is wanted. */
export interface TimelineFilter {
  readonly issueId: number;
  /** The names of the events. */
  readonly events: readonly string[];
  readonly comments: boolean;
  readonly reviews: boolean;
  /** The earliest time; milliseconds since the epoch. */
  readonly since: number;
}

/** Breaks ties of times as `timelineEntries` does. Commits, which come first, have lower ones. */
export const firstEntryTie = 1e14;

interface TimelineSlice {
  readonly entries: readonly (TimelineEntry & { readonly key: RowKey })[];
  readonly more: boolean;
}

/** Parts of several timelines in one statement, in the order of the requests. */
export async function sliceTimelines(
  sql: Sql,
  requests: readonly { readonly filter: TimelineFilter; readonly bounds: KeysetBounds }[],
): Promise<TimelineSlice[]> {
  const slices = await selectSlices<TimelineEntry>(
    sql,
    requests.map(({ filter, bounds }) => ({ list: listOf(filter), bounds })),
  );
  return slices.map(({ rows, more }) => ({ entries: rows, more }));
}

/** The sizes of several timelines in one statement, in the order of the filters. */
export function countTimelines(sql: Sql, filters: readonly TimelineFilter[]): Promise<number[]> {
  return countLists(sql, filters.map(listOf));
}

function listOf({ issueId, events, comments, reviews, since }: TimelineFilter): KeysetList {
  const names = events.map((_, index) => `$${index + 5}`).join(', ');
  return {
    columns: 'kind, id, at',
    from: `(select 'event' as kind, e.id, e.created_at as at, ${firstEntryTie} + e.id as tie
         from issue_events e where e.issue_id = $1 and e.event in (${names === '' ? "''" : names})
       union all select 'comment' as kind, c.id, c.created_at as at, ${2 * firstEntryTie} + c.id as tie
         from issue_comments c where c.issue_id = $1 and $2 = 1
       union all select 'review' as kind, r.id, r.submitted_at as at, ${3 * firstEntryTie} + r.id as tie
         from reviews r where r.pull_id = $1 and $3 = 1 and r.state <> 'PENDING') as items
       where at >= $4`,
    values: [issueId, Number(comments), Number(reviews), since, ...events],
    by: 'at',
    tie: 'tie',
    descending: false,
  };
}
