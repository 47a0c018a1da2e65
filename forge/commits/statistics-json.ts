import { representAccount } from '../accounts/account-json.ts';
import type { DayOfCommits } from '../git/history-summary.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Account } from '../model/account.ts';
import { total } from './author-days.ts';

const daySeconds = 86_400;
const weeksOfYear = 52;

/** The Sunday that a week begins with, in days since the epoch, which began on a Thursday. */
function weekOf(day: number): number {
  return Math.floor((day + 4) / 7) * 7 - 4;
}

/** Authors choose their dates: commits dated after today count today, so that no list is as long as they like. */
function shownDay({ day }: DayOfCommits, today: number): number {
  return Math.min(day, today);
}

interface Weeks {
  readonly first: number;
  readonly count: number;
  readonly today: number;
}

/** From the week of the first commit to that of the last one. */
export function weeksOf(days: readonly DayOfCommits[], today: number): Weeks {
  const all = days.map((day) => weekOf(shownDay(day, today)));
  // Many numbers are no arguments of one call.
  const first = all.reduce((one, other) => Math.min(one, other), Infinity);
  const last = all.reduce((one, other) => Math.max(one, other), -Infinity);
  return { first, count: all.length === 0 ? 0 : (last - first) / 7 + 1, today };
}

interface WeekSum {
  readonly week: number;
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
}

function sumByWeek(days: readonly DayOfCommits[], { first, count, today }: Weeks): WeekSum[] {
  const sums = Array.from({ length: count }, (_, index) => ({
    week: (first + index * 7) * daySeconds,
    commits: 0,
    additions: 0,
    deletions: 0,
  }));
  for (const day of days) {
    const sum = sums[(weekOf(shownDay(day, today)) - first) / 7];
    if (!sum) continue;
    sum.commits += day.commits;
    sum.additions += day.additions;
    sum.deletions += day.deletions;
  }
  return sums;
}

export function contributorWeeks(
  user: Account,
  days: readonly DayOfCommits[],
  weeks: Weeks,
  urls: Urls,
): Json {
  return {
    author: representAccount(user, urls),
    total: total(days),
    weeks: sumByWeek(days, weeks).map(({ week, additions, deletions, commits }) => ({
      w: week,
      a: additions,
      d: deletions,
      c: commits,
    })),
  };
}

/** Commits of each day of the last 52 weeks, which begin on Sunday; the last one is the current one. */
export function commitActivity(days: readonly DayOfCommits[], today: number): Json {
  const first = weekOf(today) - (weeksOfYear - 1) * 7;
  const commits = commitsFrom(first, days, today);
  return Array.from({ length: weeksOfYear }, (_, index) => {
    const ofWeek = commits.slice(index * 7, index * 7 + 7);
    return {
      days: ofWeek,
      total: ofWeek.reduce((sum, each) => sum + each, 0),
      week: (first + index * 7) * daySeconds,
    };
  });
}

/** Commits of the last 52 times seven days, the last of which ends with today. */
export function participation(days: readonly DayOfCommits[], today: number): number[] {
  const commits = commitsFrom(today + 1 - weeksOfYear * 7, days, today);
  return Array.from({ length: weeksOfYear }, (_, index) =>
    commits.slice(index * 7, index * 7 + 7).reduce((sum, each) => sum + each, 0),
  );
}

/** Commits of each day of 52 weeks from a day on. */
function commitsFrom(first: number, days: readonly DayOfCommits[], today: number): number[] {
  const commits = Array.from({ length: weeksOfYear * 7 }, () => 0);
  for (const day of days) {
    const index = shownDay(day, today) - first;
    const known = commits[index];
    if (known !== undefined) commits[index] = known + day.commits;
  }
  return commits;
}

/** Lines added and, as a negative number, deleted in each week. */
export function codeFrequency(days: readonly DayOfCommits[], today: number): Json {
  return sumByWeek(days, weeksOf(days, today)).map(({ week, additions, deletions }) => [
    week,
    additions,
    deletions === 0 ? 0 : -deletions,
  ]);
}

export function punchCard(hours: readonly number[]): Json {
  return hours.map((commits, hour) => [Math.floor(hour / 24), hour % 24, commits]);
}
