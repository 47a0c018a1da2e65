import type { Sql } from '#platform/database/database.ts';
import { type KeysetBounds, selectSlices, type Slice } from '#platform/database/keyset-store.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { placeholders } from '../accounts/account-store.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import type { CommentFilter } from './comment-filter.ts';
import type { Comment } from '../model/comment.ts';
import type { MinimizedReason } from '../model/minimized.ts';
import { touchIssue } from './issue-change-store.ts';
import type { IssueChange } from '../model/issue.ts';

interface CommentRow {
  id: number;
  issue_id: number;
  number: number;
  is_pull: number;
  merged_at: number | null;
  author_id: number;
  body: string;
  minimized_reason: MinimizedReason | null;
  created_at: number;
  updated_at: number;
}

const columns = `c.id, c.issue_id, i.number, i.is_pull, p.merged_at, c.author_id, c.body, c.minimized_reason, c.created_at, c.updated_at`;

const tables = `issue_comments c join issues i on i.id = c.issue_id left join pulls p on p.id = i.id`;

export async function findComment(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<Comment | undefined> {
  const row = await sql.get<CommentRow>(
    `select ${columns} from ${tables} where c.repository_id = $1 and c.id = $2`,
    repositoryId,
    id,
  );
  return row && commentFromRow(row);
}

/** Several by id, in one statement. */
export async function commentsById(sql: Sql, ids: Iterable<number>): Promise<Comment[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const rows = await sql.all<CommentRow>(
    `select ${columns} from ${tables} where c.id in (${placeholders(unique.length)})`,
    ...unique,
  );
  return rows.map(commentFromRow);
}

export interface CommentPage {
  readonly comments: readonly Comment[];
  readonly total: number;
}

const scopes = { issue: 'c.issue_id', repository: 'c.repository_id' } as const;
const sortColumns = { created: 'c.id', updated: 'c.updated_at' } as const;

/** One page of the comments of an issue or of a whole repository, and their total number. */
export async function listComments(
  sql: Sql,
  of: { readonly kind: keyof typeof scopes; readonly id: number },
  filter: CommentFilter,
  page: PageBounds,
): Promise<CommentPage> {
  const from = `${tables} where ${scopes[of.kind]} = $1 and c.updated_at >= $2`;
  const values = [of.id, filter.updatedSince];
  const order = `${sortColumns[filter.sort]} ${filter.direction}, c.id ${filter.direction}`;
  const list = { columns, from, values, order };
  const { rows, total } = await selectPage<CommentRow>(sql, list, page);
  return { comments: rows.map(commentFromRow), total };
}

/** Parts of the comments of several issues, in one statement. */
export async function sliceComments(
  sql: Sql,
  requests: readonly {
    readonly issueId: number;
    readonly sort: keyof typeof sortColumns;
    readonly descending: boolean;
    readonly bounds: KeysetBounds;
  }[],
): Promise<Slice<{ comment: Comment }>[]> {
  const lists = requests.map(({ issueId, sort, descending, bounds }) => {
    const from = `${tables} where c.issue_id = $1`;
    const list = {
      columns,
      from,
      values: [issueId],
      by: sortColumns[sort],
      tie: 'c.id',
      descending,
    };
    return { bounds, list };
  });
  const slices = await selectSlices<CommentRow>(sql, lists);
  return slices.map(({ rows, more }) => ({
    rows: rows.map((row) => ({ comment: commentFromRow(row), key: row.key })),
    more,
  }));
}

/** Returns the id of the new comment. */
export async function insertComment(
  sql: RepositoryWrite,
  change: IssueChange & { readonly actorId: number },
  body: string,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into issue_comments (issue_id, repository_id, author_id, body, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5) returning id`,
    change.issueId,
    change.repositoryId,
    change.actorId,
    body,
    change.now,
  );
  if (!row) throw new Error('insert into issue_comments returned no row');
  await addToCount(sql, change, 1);
  const { issueId, repositoryId, actorId, now } = change;
  const event = { event: 'issue_comment', issueId, commentId: row.id, actorId } as const;
  await emitEvent(sql, repositoryId, { ...event, action: 'created' }, now);
  return row.id;
}

export async function editComment(
  sql: RepositoryWrite,
  comment: Comment,
  body: string,
  change: IssueChange,
): Promise<void> {
  await sql.run(
    `update issue_comments set body = $2, updated_at = $3 where id = $1`,
    comment.id,
    body,
    change.now,
  );
  await touchIssue(sql, change);
  if (body === comment.body) return;
  const { issueId, repositoryId, actorId, now } = change;
  const event = { event: 'issue_comment', issueId, commentId: comment.id, actorId } as const;
  const changes = { body: { from: comment.body } };
  await emitEvent(sql, repositoryId, { ...event, action: 'edited', changes }, now);
}

export async function deleteComment(
  sql: RepositoryWrite,
  comment: Comment,
  change: IssueChange,
): Promise<void> {
  const deleted = await sql.run(`delete from issue_comments where id = $1`, comment.id);
  if (deleted === 0) return;
  await addToCount(sql, change, -1);
  const { issueId, repositoryId, actorId, now } = change;
  const event = { event: 'issue_comment', issueId, commentId: comment.id, actorId } as const;
  await emitEvent(sql, repositoryId, { ...event, action: 'deleted', last: comment }, now);
}

/** The number of comments is a column of the issue, because lists can be sorted by it. */
async function addToCount(sql: RepositoryWrite, change: IssueChange, more: 1 | -1): Promise<void> {
  await sql.run(`update issues set comments = comments + $2 where id = $1`, change.issueId, more);
  await touchIssue(sql, change);
}

function commentFromRow(row: CommentRow): Comment {
  return {
    id: row.id,
    issue: {
      id: row.issue_id,
      number: row.number,
      pull: row.is_pull === 1 ? { mergedAt: row.merged_at } : undefined,
    },
    authorId: row.author_id,
    body: row.body,
    minimizedReason: row.minimized_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
