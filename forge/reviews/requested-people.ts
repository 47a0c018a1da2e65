import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import { refuse } from '../errors/api-error.ts';
import { associationsOf } from '../repositories/association-store.ts';
import type { RequestedReviewer } from './review-request-store.ts';
import type { Pull } from '../model/pull.ts';
import { fullName, type Repository } from '../model/repository.ts';

/** People, and teams, in one request for reviews, of each. */
export const reviewersMax = 15;

/** The accounts of the logins, or a refusal if one of them cannot be a reviewer. */
export async function requestablePeople(
  sql: Sql,
  repository: Repository,
  pull: Pull,
  logins: readonly string[],
): Promise<RequestedReviewer[]> {
  if (logins.length > reviewersMax) refuseTooManyReviewers('people');
  const ids: number[] = [];
  for (const login of logins) {
    const account = await findAccount(sql, login);
    if (account?.kind !== 'user') return refuseOutsider(repository);
    if (account.id === pull.authorId) {
      unprocessable('Review cannot be requested from pull request author.');
    }
    ids.push(account.id);
  }
  const associations = await associationsOf(sql, repository, ids);
  for (const id of ids) {
    const association = associations.get(id) ?? 'NONE';
    if (association === 'NONE' || association === 'CONTRIBUTOR') refuseOutsider(repository);
  }
  return ids.map((reviewerId) => ({ reviewerId }));
}

export function refuseTooManyReviewers(whom: 'people' | 'teams'): never {
  return unprocessable(`At most ${reviewersMax} ${whom} can be requested.`);
}

export function refuseOutsider(repository: Repository): never {
  return unprocessable(
    `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${fullName(repository)} repository.`,
  );
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
