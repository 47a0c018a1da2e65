import type { Sql } from '#platform/database/database.ts';

import { callerAccountId, type Caller, type UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Json } from '../json/json-values.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { touchIssue } from '../issues/issue-change-store.ts';
import type { Ports } from '../ports/ports.ts';
import { findPull } from '../pulls/pull-store.ts';
import type { Pull } from '../model/pull.ts';
import { type Repository } from '../model/repository.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import { describeReviews } from './describe-reviews.ts';
import { findReview } from './review-store.ts';
import type { Review } from '../model/review.ts';

type ReviewRequest = Pick<RequestContext<UserCaller>, 'caller' | 'now' | 'media' | 'urls'> & {
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
  const actorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const pull = await getPull(sql, repository, path.pull_number);
    if (pull.locked && !atLeast(permission, 'write')) {
      refuse({ kind: 'forbidden', message: 'Unable to review because the pull is locked.' });
    }
    const id = await change(sql, pull, actorId);
    await touchIssue(sql, { issueId: pull.id, repositoryId: repository.id, actorId, now });
    const review = await getReview(sql, pull, id, caller);
    const [representation] = await describeReviews(sql, repository, pull.number, [review], request);
    return representation ?? notFound();
  });
}

export async function getPull(sql: Sql, repository: Repository, number: number): Promise<Pull> {
  return (await findPull(sql, repository.id, number)) ?? notFound();
}

/** The review, or 404. Pending reviews are visible to their authors only. */
export async function getReview(sql: Sql, pull: Pull, id: number, viewer: Caller): Promise<Review> {
  const review = await findReview(sql, pull.id, id);
  const hidden = review?.state === 'PENDING' && review.authorId !== callerAccountId(viewer);
  return review && !hidden ? review : notFound();
}
