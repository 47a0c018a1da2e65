import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Format } from '../http/media-types.ts';
import { associationsOf } from '../repositories/association-store.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { representReview } from './review-json.ts';
import type { Review } from '../model/review.ts';

/** Representations of reviews of one pull, in a fixed number of statements. */
export async function describeReviews(
  sql: Sql,
  repository: Repository,
  pullNumber: number,
  reviews: readonly Review[],
  { media, urls }: { readonly media: { readonly format: Format }; readonly urls: Urls },
): Promise<Json[]> {
  const authorIds = reviews.map((review) => review.authorId);
  const relations = {
    repositoryName: fullName(repository),
    pullNumber,
    accounts: await accountsById(sql, authorIds),
    associations: await associationsOf(sql, repository, authorIds),
  };
  return reviews.map((review) => representReview(review, relations, media.format, urls));
}
