import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import type { CommentFilter } from '../issues/comment-filter.ts';
import type { Side } from '../model/diff-lines.ts';
import type { MinimizedReason } from '../model/minimized.ts';
import type { DiffPosition, ReviewComment } from '../model/review-comment.ts';

interface CommentRow {
  id: number;
  review_id: number;
  pull_id: number;
  author_id: number;
  reply_to_id: number | null;
  body: string;
  minimized_reason: MinimizedReason | null;
  path: string;
  left_path: string;
  commit_sha: ObjectId;
  merge_base_sha: ObjectId | null;
  side: Side;
  line: number;
  start_side: Side | null;
  start_line: number | null;
  position: number;
  diff_hunk: string;
  resolved_at: number | null;
  resolved_by_id: number | null;
  created_at: number;
  updated_at: number;
}

const columns = `c.id, c.review_id, c.pull_id, c.author_id, c.reply_to_id, c.body, c.minimized_reason, c.path, c.left_path, c.commit_sha,
  c.merge_base_sha, c.side, c.line, c.start_side, c.start_line, c.position, c.diff_hunk, c.resolved_at,
  c.resolved_by_id, c.created_at, c.updated_at`;

/** Excludes comments of pending reviews, which only their authors see, in the review. */
const submitted = `exists (select 1 from reviews r where r.id = c.review_id and r.state <> 'PENDING')`;

export async function findReviewComment(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<ReviewComment | undefined> {
  const row = await sql.get<CommentRow>(
    `select ${columns} from review_comments c where c.repository_id = $1 and c.id = $2 and ${submitted}`,
    repositoryId,
    id,
  );
  return row && commentFromRow(row);
}

export interface ReviewCommentPage {
  readonly comments: readonly ReviewComment[];
  readonly total: number;
}

const scopes = { pull: 'c.pull_id', repository: 'c.repository_id' } as const;
const sortColumns = { created: 'c.id', updated: 'c.updated_at' } as const;

/** One page of the submitted comments of a pull or of a whole repository, and their total number. */
export async function listReviewComments(
  sql: Sql,
  of: { readonly kind: keyof typeof scopes; readonly id: number },
  filter: CommentFilter,
  page: PageBounds,
): Promise<ReviewCommentPage> {
  const from = `review_comments c where ${scopes[of.kind]} = $1 and c.updated_at >= $2 and ${submitted}`;
  const values = [of.id, filter.updatedSince];
  const order = `${sortColumns[filter.sort]} ${filter.direction}, c.id ${filter.direction}`;
  const list = { columns, from, values, order };
  const { rows, total } = await selectPage<CommentRow>(sql, list, page);
  return { comments: rows.map(commentFromRow), total };
}

/** All comments on several pulls in order of creation; those of pending reviews are visible to their authors only. */
export async function commentsOfPulls(
  sql: Sql,
  pullIds: readonly number[],
  viewerId: number,
): Promise<Map<number, ReviewComment[]>> {
  if (pullIds.length === 0) return new Map();
  const rows = await sql.all<CommentRow>(
    `select ${columns} from review_comments c join reviews r on r.id = c.review_id
     where c.pull_id in (${placeholders(pullIds.length, 2)})
       and (r.state <> 'PENDING' or r.author_id = $1) order by c.id`,
    viewerId,
    ...pullIds,
  );
  return Map.groupBy(rows.map(commentFromRow), ({ pullId }) => pullId);
}

/** Several comments by id, in one statement, also of pending reviews. */
export async function reviewCommentsById(
  sql: Sql,
  ids: Iterable<number>,
): Promise<ReviewComment[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const rows = await sql.all<CommentRow>(
    `select ${columns} from review_comments c where c.id in (${placeholders(unique.length)})`,
    ...unique,
  );
  return rows.map(commentFromRow);
}

/** The comments of one review, pending or submitted. */
export async function commentsOfReview(
  sql: Sql,
  reviewId: number,
  page: PageBounds,
): Promise<ReviewCommentPage> {
  const rows = await sql.all<CommentRow>(
    `select ${columns} from review_comments c where c.review_id = $1 order by c.id limit $2 offset $3`,
    reviewId,
    page.size,
    page.offset,
  );
  return { comments: rows.map(commentFromRow), total: await countOfReview(sql, reviewId) };
}

export async function commentIdsOfReview(sql: Sql, reviewId: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select id from review_comments where review_id = $1 order by id`,
    reviewId,
  );
  return rows.map(({ id }) => id);
}

export async function countOfReview(sql: Sql, reviewId: number): Promise<number> {
  const row = await sql.get<{ total: number }>(
    `select count(*) as total from review_comments where review_id = $1`,
    reviewId,
  );
  return row?.total ?? 0;
}

export interface NewReviewComment {
  readonly reviewId: number;
  readonly pull: { readonly id: number; readonly repositoryId: number };
  readonly authorId: number;
  readonly replyToId: number | null;
  readonly body: string;
  readonly position: DiffPosition;
  readonly now: number;
}

/** Returns its id. The caller updates the pull's number of comments, because only submitted reviews count. */
export async function insertReviewComment(
  sql: RepositoryWrite,
  comment: NewReviewComment,
): Promise<number> {
  const { position } = comment;
  const row = await sql.get<{ id: number }>(
    `insert into review_comments (review_id, pull_id, repository_id, author_id, reply_to_id, body, path, left_path,
       commit_sha, merge_base_sha, side, line, start_side, start_line, position, diff_hunk, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17) returning id`,
    comment.reviewId,
    comment.pull.id,
    comment.pull.repositoryId,
    comment.authorId,
    comment.replyToId,
    comment.body,
    position.path,
    position.leftPath,
    position.commitSha,
    position.mergeBaseSha,
    position.side,
    position.line,
    position.start?.side ?? null,
    position.start?.line ?? null,
    position.position,
    position.diffHunk,
    comment.now,
  );
  if (!row) throw new Error('insert into review_comments returned no row');
  return row.id;
}

export async function editReviewComment(
  sql: RepositoryWrite,
  id: number,
  body: string,
  now: number,
): Promise<void> {
  await sql.run(
    `update review_comments set body = $2, updated_at = $3 where id = $1`,
    id,
    body,
    now,
  );
}

/** Of the thread that the comment began; undefined: it is not resolved. */
export async function setResolution(
  sql: RepositoryWrite,
  rootId: number,
  resolution: { readonly byId: number; readonly at: number } | undefined,
): Promise<void> {
  await sql.run(
    `update review_comments set resolved_at = $2, resolved_by_id = $3 where id = $1`,
    rootId,
    resolution?.at ?? null,
    resolution?.byId ?? null,
  );
}

/** Also deletes a review without a body after the last of its comments. */
export async function deleteReviewComment(
  sql: RepositoryWrite,
  comment: ReviewComment,
): Promise<void> {
  await sql.run(`delete from review_comments where id = $1`, comment.id);
  await sql.run(
    `delete from reviews where id = $1 and state = 'COMMENTED' and body = ''
       and not exists (select 1 from review_comments c where c.review_id = $1)`,
    comment.reviewId,
  );
}

/** Adds to the pull's number of comments of submitted reviews. */
export async function addReviewComments(
  sql: RepositoryWrite,
  pullId: number,
  more: number,
): Promise<void> {
  await sql.run(
    `update pulls set review_comments = review_comments + $2 where id = $1`,
    pullId,
    more,
  );
}

function commentFromRow(row: CommentRow): ReviewComment {
  return {
    id: row.id,
    reviewId: row.review_id,
    pullId: row.pull_id,
    authorId: row.author_id,
    replyToId: row.reply_to_id,
    body: row.body,
    minimizedReason: row.minimized_reason,
    resolved: row.resolved_at === null ? undefined : { byId: row.resolved_by_id },
    position: {
      path: row.path,
      leftPath: row.left_path,
      commitSha: row.commit_sha,
      mergeBaseSha: row.merge_base_sha,
      side: row.side,
      line: row.line,
      start:
        row.start_side === null || row.start_line === null
          ? null
          : { side: row.start_side, line: row.start_line },
      position: row.position,
      diffHunk: row.diff_hunk,
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
