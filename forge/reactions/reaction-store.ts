import type { Sql } from '#platform/database/database.ts';
import { type KeysetBounds, selectSlices, type Slice } from '#platform/database/keyset-store.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { AccountList } from '../accounts/account-list-store.ts';
import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type {
  Reaction,
  ReactionContent,
  ReactionCounts,
  ReactionSubject,
} from '../model/reaction.ts';

interface ReactionRow {
  id: number;
  account_id: number;
  content: ReactionContent;
  created_at: number;
}

const columns = 's.id, s.account_id, s.content, s.created_at';

function columnOf(kind: ReactionSubject['kind']): string {
  return `${kind}_id`;
}

/** The numbers of reactions to each of several subjects of one kind, in one statement. */
export async function countReactions(
  sql: Sql,
  kind: ReactionSubject['kind'],
  ids: readonly number[],
): Promise<Map<number, ReactionCounts>> {
  if (ids.length === 0) return new Map();
  const column = columnOf(kind);
  const rows = await sql.all<{ subject: number; content: ReactionContent; total: number }>(
    `select ${column} as subject, content, count(*) as total from reactions
     where ${column} in (${placeholders(ids.length)}) group by ${column}, content`,
    ...ids,
  );
  const counts = new Map<number, Map<ReactionContent, number>>();
  for (const { subject, content, total } of rows) {
    const of = counts.get(subject) ?? new Map<ReactionContent, number>();
    counts.set(subject, of.set(content, total));
  }
  return counts;
}

/** A group of reactions with the same content. */
export interface ReactionGroup {
  readonly total: number;
  /** Whether the viewer is one of them. */
  readonly own: boolean;
  /** When the first one was made. */
  readonly since: number;
}

/** The groups of each subject of one kind, by content. */
export async function reactionGroups(
  sql: Sql,
  kind: ReactionSubject['kind'],
  ids: readonly number[],
  viewerId: number,
): Promise<Map<number, Map<ReactionContent, ReactionGroup>>> {
  if (ids.length === 0) return new Map();
  const column = columnOf(kind);
  const rows = await sql.all<{
    subject: number;
    content: ReactionContent;
    total: number;
    own: number;
    since: number;
  }>(
    `select ${column} as subject, content, count(*) as total, min(created_at) as since,
       count(case when account_id = $${ids.length + 1} then 1 end) as own from reactions
     where ${column} in (${placeholders(ids.length)}) group by ${column}, content`,
    ...ids,
    viewerId,
  );
  const groups = new Map<number, Map<ReactionContent, ReactionGroup>>();
  for (const { subject, content, total, own, since } of rows) {
    const of = groups.get(subject) ?? new Map<ReactionContent, ReactionGroup>();
    groups.set(subject, of.set(content, { total, own: own > 0, since }));
  }
  return groups;
}

/** In order of creation; with this content, or all. */
export async function listReactions(
  sql: Sql,
  subject: ReactionSubject,
  content: ReactionContent | undefined,
  page: PageBounds,
): Promise<{ reactions: Reaction[]; total: number }> {
  const list = { ...reactionsTo(subject, content), columns, order: 's.id' };
  const { rows, total } = await selectPage<ReactionRow>(sql, list, page);
  return { reactions: rows.map(reactionFromRow), total };
}

/** A part of the list, for connections. */
export async function sliceReactions(
  sql: Sql,
  subject: ReactionSubject,
  content: ReactionContent | undefined,
  bounds: KeysetBounds & { readonly descending: boolean },
): Promise<Slice<Reaction>> {
  const { descending } = bounds;
  const of = reactionsTo(subject, content);
  const list = { ...of, columns, by: 's.created_at', tie: 's.id', descending };
  const [slice] = await selectSlices<ReactionRow>(sql, [{ list, bounds }]);
  if (!slice) return { rows: [], more: false };
  return { ...slice, rows: slice.rows.map((row) => ({ ...reactionFromRow(row), key: row.key })) };
}

function reactionsTo(
  { kind, id }: ReactionSubject,
  content: ReactionContent | undefined,
): { readonly from: string; readonly values: readonly (number | string)[] } {
  const from = `reactions s where s.${columnOf(kind)} = $1 and ($2 = '' or s.content = $2)`;
  return { from, values: [id, content ?? ''] };
}

/** Who has reacted with this content. */
export function reactorsOf({ kind, id }: ReactionSubject, content: ReactionContent): AccountList {
  const from = `reactions s join accounts a on a.id = s.account_id
    where s.${columnOf(kind)} = $1 and s.content = $2`;
  return { from, values: [id, content] };
}

/** The reaction of the account with this content, and whether it is new. */
export async function putReaction(
  sql: RepositoryWrite,
  { kind, id }: ReactionSubject,
  { accountId, content }: Pick<Reaction, 'accountId' | 'content'>,
  now: number,
): Promise<{ reaction: Reaction; created: boolean }> {
  const column = columnOf(kind);
  const inserted = await sql.run(
    `insert into reactions (account_id, content, ${column}, created_at) values ($1, $2, $3, $4)
     on conflict (${column}, account_id, content) do nothing`,
    accountId,
    content,
    id,
    now,
  );
  const row = await sql.get<ReactionRow>(
    `select ${columns} from reactions s
     where s.${column} = $1 and s.account_id = $2 and s.content = $3`,
    id,
    accountId,
    content,
  );
  if (!row) throw new Error('a reaction is neither new nor known');
  return { reaction: reactionFromRow(row), created: inserted > 0 };
}

/** The id of a reaction of the account with this content. */
export async function findOwnReaction(
  sql: Sql,
  { kind, id }: ReactionSubject,
  { accountId, content }: Pick<Reaction, 'accountId' | 'content'>,
): Promise<Reaction | undefined> {
  const row = await sql.get<ReactionRow>(
    `select ${columns} from reactions s
     where s.${columnOf(kind)} = $1 and s.account_id = $2 and s.content = $3`,
    id,
    accountId,
    content,
  );
  return row && reactionFromRow(row);
}

/** Removes a reaction of the account; returns false if there is none. */
export async function deleteReaction(
  sql: RepositoryWrite,
  { kind, id }: ReactionSubject,
  { reactionId, accountId }: { readonly reactionId: number; readonly accountId: number },
): Promise<boolean> {
  const removed = await sql.run(
    `delete from reactions where id = $1 and ${columnOf(kind)} = $2 and account_id = $3`,
    reactionId,
    id,
    accountId,
  );
  return removed > 0;
}

function reactionFromRow(row: ReactionRow): Reaction {
  return {
    id: row.id,
    accountId: row.account_id,
    content: row.content,
    createdAt: row.created_at,
  };
}
