import type { Sql } from '#platform/database.ts';

import { callerAccountId, type Caller } from '../access/caller.ts';
import { atLeast } from '../access/permission.ts';
import type { RepositoryAccess } from '../access/repository-access.ts';
import type { RequestContext } from '../conventions/request-context.ts';
import type { Json } from '../conventions/json-values.ts';
import { notFound, refuse } from '../conventions/refusal.ts';
import { touchIssue } from '../issues/issue-change-store.ts';
import type { Ports } from '../ports.ts';
import { findPull } from '../pulls/pull-store.ts';
import type { Pull } from '../pulls/pull.ts';
import { type Repository } from '../repositories/repository.ts';
import { writeRepository, type RepositoryWrite } from '../response-cache/invalidate.ts';
import { describeReviews } from './describe-reviews.ts';
import { findReview } from './review-store.ts';
import type { Review } from './review.ts';

type ReviewRequest = Pick<RequestContext, 'caller' | 'now' | 'media' | 'urls'> & {
  readonly path: { readonly pull_number: number };
};

/** Runs a change of a review of the pull in one transaction and describes the review it names. */
export async function changeReviews(
  { database }: Pick<Ports, 'database'>,
  { repository, permission }: RepositoryAccess,
  request: ReviewRequest,
  change: (sql: RepositoryWrite, pull: Pull, authorId: number) => Promise<number>,
): Promise<Json> {
  const { caller, path, now } = request;
  if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
  const actorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const pull = await requiredPull(sql, repository, path.pull_number);
    if (pull.locked && !atLeast(permission, 'write')) {
      refuse({ kind: 'forbidden', message: 'Unable to review because the pull is locked.' });
    }
    const id = await change(sql, pull, actorId);
    await touchIssue(sql, { issueId: pull.id, repositoryId: repository.id, actorId, now });
    const review = await requiredReview(sql, pull, id, caller);
    const [described] = await describeReviews(sql, repository, pull.number, [review], request);
    return described ?? notFound();
  });
}

export async function requiredPull(
  sql: Sql,
  repository: Repository,
  number: number,
): Promise<Pull> {
  return (await findPull(sql, repository.id, number)) ?? notFound();
}

/** Drafts are there for their authors only. */
export async function requiredReview(
  sql: Sql,
  pull: Pull,
  id: number,
  viewer: Caller,
): Promise<Review> {
  const review = await findReview(sql, pull.id, id);
  const hidden = review?.state === 'PENDING' && review.authorId !== callerAccountId(viewer);
  return review && !hidden ? review : notFound();
}
