import type { Database } from '#platform/database/database.ts';

import { usersByEmail } from '../accounts/account-store.ts';
import type { Contributor } from '../git/history-summary.ts';
import { type Account, caseless } from '../model/account.ts';

/** Addresses of authors that users are found for, those with the most commits; others are anonymous, as on GitHub. */
const addressesMax = 500;

/** A user with the commits under all of their addresses, or an author who is none. */
export type CountedContributor =
  | { readonly user: Account; commits: number }
  | { readonly user: undefined; readonly author: Contributor; commits: number };

/** The authors of a history, those of one user together, the most commits first. */
export async function contributorsOf(
  database: Pick<Database, 'read'>,
  authors: readonly Contributor[],
): Promise<CountedContributor[]> {
  const emails = authors.slice(0, addressesMax).map(({ email }) => email);
  const users = await database.read((sql) => usersByEmail(sql, emails));
  const counted = new Map<number | string, CountedContributor>();
  for (const author of authors) {
    const address = caseless(author.email);
    const user = users.get(address);
    const known = counted.get(user?.id ?? address);
    if (known) known.commits += author.commits;
    else counted.set(user?.id ?? address, { user, author, commits: author.commits });
  }
  return [...counted.values()].toSorted((one, other) => other.commits - one.commits);
}
