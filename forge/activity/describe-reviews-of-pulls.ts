import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import { associationsOf } from '../repositories/association-store.ts';
import { issuesById } from '../issues/issue-store.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { representReview } from '../reviews/review-json.ts';
import { reviewsById } from '../reviews/review-store.ts';
import type { Urls } from '../json/urls.ts';
import type { DomainEvent } from '../model/domain-event.ts';

/** The reviews that these happenings tell of, of whatever pulls, by their ids. */
export async function describeReviewsOfPulls(
  sql: Sql,
  repository: Repository,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'pull_request_review' ? [domainEvent.reviewId] : [],
  );
  const reviews = await reviewsById(sql, ids);
  const authorIds = reviews.map((review) => review.authorId);
  const repositoryName = fullName(repository);
  const accounts = await accountsById(sql, authorIds);
  const associations = await associationsOf(sql, repository, authorIds);
  // A pull shares its number with the issue behind it.
  const pulls = await issuesById(
    sql,
    reviews.map((review) => review.pullId),
  );
  const described = reviews.map((review) => {
    const pullNumber = pulls.get(review.pullId)?.number ?? 0;
    const relations = { repositoryName, pullNumber, accounts, associations };
    return [review.id, representReview(review, relations, 'json', urls)] as const;
  });
  return new Map(described);
}
