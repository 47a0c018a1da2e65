import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { placeholders } from '../accounts/account-store.ts';
import type { ObjectId } from '../git/names.ts';
import type { MinimizedReason } from '../model/minimized.ts';
import type { Review, ReviewState } from '../model/review.ts';

interface ReviewRow {
  id: number;
  pull_id: number;
  author_id: number;
  body: string;
  minimized_reason: MinimizedReason | null;
  state: ReviewState;
  commit_sha: ObjectId;
  submitted_at: number | null;
  of_present_base: number;
}

const columns = `r.id, r.pull_id, r.author_id, r.body, r.minimized_reason, r.state, r.commit_sha, r.submitted_at,
  case when r.base_version = (select p.base_version from pulls p where p.id = r.pull_id) then 1 else 0 end as of_present_base`;

export async function findReview(
  sql: Sql,
  pullId: number,
  id: number,
): Promise<Review | undefined> {
  const row = await sql.get<ReviewRow>(
    `select ${columns} from reviews r where r.pull_id = $1 and r.id = $2`,
    pullId,
    id,
  );
  return row && reviewFromRow(row);
}

/** Several reviews by id, of any pulls, in one statement. */
export async function reviewsById(sql: Sql, ids: Iterable<number>): Promise<Review[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const rows = await sql.all<ReviewRow>(
    `select ${columns} from reviews r where r.id in (${placeholders(unique.length)})`,
    ...unique,
  );
  return rows.map(reviewFromRow);
}

/** The reviews of a pull in order of creation; pending reviews are visible to their authors only. */
export async function listReviews(
  sql: Sql,
  pullId: number,
  viewerId: number,
  page: PageBounds,
  direction: 'asc' | 'desc' = 'asc',
): Promise<{ reviews: Review[]; total: number }> {
  const from = `reviews r where r.pull_id = $1 and (r.state <> 'PENDING' or r.author_id = $2)`;
  const list = { columns, from, values: [pullId, viewerId], order: `r.id ${direction}` };
  const { rows, total } = await selectPage<ReviewRow>(sql, list, page);
  return { reviews: rows.map(reviewFromRow), total };
}

/** All reviews of several pulls in order of creation; pending reviews are visible to their authors only. */
export async function reviewsOfPulls(
  sql: Sql,
  pullIds: readonly number[],
  viewerId: number,
): Promise<Map<number, Review[]>> {
  if (pullIds.length === 0) return new Map();
  const rows = await sql.all<ReviewRow>(
    `select ${columns} from reviews r where r.pull_id in (${placeholders(pullIds.length, 2)})
       and (r.state <> 'PENDING' or r.author_id = $1) order by r.id`,
    viewerId,
    ...pullIds,
  );
  return Map.groupBy(rows.map(reviewFromRow), ({ pullId }) => pullId);
}

/** The last submitted approval or request for changes of each reviewer. */
export async function decisionsOn(sql: Sql, pullId: number): Promise<Review[]> {
  const rows = await sql.all<ReviewRow>(
    `select ${columns} from reviews r where r.id in (
       select max(d.id) from reviews d
       where d.pull_id = $1 and d.state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED') group by d.author_id)`,
    pullId,
  );
  return rows.map(reviewFromRow);
}

/** Fails with a unique violation if its author already has a pending review of the pull. */
export async function insertReview(
  sql: RepositoryWrite,
  repositoryId: number,
  review: Omit<Review, 'id' | 'minimizedReason' | 'isOfPresentBase'>,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into reviews (pull_id, repository_id, author_id, body, state, commit_sha, submitted_at, base_version)
     values ($1, $2, $3, $4, $5, $6, $7, (select p.base_version from pulls p where p.id = $1)) returning id`,
    review.pullId,
    repositoryId,
    review.authorId,
    review.body,
    review.state,
    review.commitSha,
    review.submittedAt,
  );
  if (!row) throw new Error('insert into reviews returned no row');
  return row.id;
}

export async function changeReview(
  sql: RepositoryWrite,
  id: number,
  { state, body, submittedAt }: Pick<Review, 'state' | 'body' | 'submittedAt'>,
): Promise<void> {
  await sql.run(
    `update reviews set state = $2, body = $3, submitted_at = $4 where id = $1`,
    id,
    state,
    body,
    submittedAt,
  );
}

/** Deletes a review with its comments. */
export async function deleteReview(sql: RepositoryWrite, id: number): Promise<void> {
  await sql.run(`delete from reviews where id = $1`, id);
}

/** The pending review that the account has of the pull. */
export async function findPendingReview(
  sql: Sql,
  pullId: number,
  authorId: number,
): Promise<Review | undefined> {
  const row = await sql.get<ReviewRow>(
    `select ${columns} from reviews r where r.pull_id = $1 and r.author_id = $2 and r.state = 'PENDING'`,
    pullId,
    authorId,
  );
  return row && reviewFromRow(row);
}

function reviewFromRow(row: ReviewRow): Review {
  return {
    id: row.id,
    pullId: row.pull_id,
    authorId: row.author_id,
    body: row.body,
    minimizedReason: row.minimized_reason,
    state: row.state,
    commitSha: row.commit_sha,
    submittedAt: row.submitted_at,
    isOfPresentBase: row.of_present_base === 1,
  };
}
