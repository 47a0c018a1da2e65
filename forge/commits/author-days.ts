import type { DayOfCommits, HistoryStatistics } from '../git/history-summary.ts';
import { type Account, caseless } from '../model/account.ts';

type Authors = HistoryStatistics['authors'];
type Users = ReadonlyMap<string, Account>;

/** The commits of users under all of their addresses, the one with the most first. Authors who are no users are left out. */
export function daysOfUsers(
  authors: Authors,
  users: Users,
): { readonly user: Account; readonly days: readonly DayOfCommits[] }[] {
  const found = new Map<number, { user: Account; days: DayOfCommits[] }>();
  for (const { email, days } of authors) {
    const user = users.get(caseless(email));
    if (!user) continue;
    const known = found.get(user.id) ?? { user, days: [] };
    found.set(user.id, known);
    known.days.push(...days);
  }
  return [...found.values()].toSorted((one, other) => total(other.days) - total(one.days));
}

/** The commits of one user; those of an organization are none. */
export function daysOfUser(authors: Authors, users: Users, userId: number): DayOfCommits[] {
  return authors
    .filter(({ email }) => users.get(caseless(email))?.id === userId)
    .flatMap(({ days }) => days);
}

export function total(days: readonly DayOfCommits[]): number {
  return days.reduce((sum, { commits }) => sum + commits, 0);
}
