import { inBackground } from '#platform/in-background.ts';

import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import {
  commitsWithLinesMax,
  type DayOfCommits,
  type HistoryStatistics,
} from '../history-summary.ts';
import type { ObjectId } from '../names.ts';
import { countCommits } from './history.ts';

const mebibyte = 1024 * 1024;

/** `git log` for the statistics of one repository, which reads the whole history, apart from requests: time, and memory. */
const limits = { seconds: 60, memoryBytes: 512 * mebibyte };

/** Output of `git log` that the statistics of a repository read, about 500,000 commits. */
const outputBytesMax = 32 * mebibyte;

/** Addresses in the statistics of contributors, those with the most commits. */
const authorsMax = 200;

/** Commits whose statistics are held: a commit determines its history. */
const answersMax = 8;

/**
 * Time for which a history whose statistics took too long is not counted again: each attempt holds a slow command for the whole
 * limit.
 */
const pauseMilliseconds = 60_000;

const daySeconds = 86_400;

/** Neither field while it is being counted. */
interface Answer {
  statistics?: HistoryStatistics;
  failure?: { readonly error: unknown; readonly at: number };
}

/** By directory and tip. */
const answers = new Map<string, Answer>();

/** Undefined while the history is being counted, which the first call begins. A failure is thrown to the next call. */
export async function statistics(
  directory: GitDirectory,
  tip: ObjectId,
  monotonic: () => number = () => performance.now(),
): Promise<HistoryStatistics | undefined> {
  const key = `${directory.path} ${tip}`;
  const known = answers.get(key);
  if (known && !known.failure) return known.statistics;
  if (known?.failure) {
    const { error, at } = known.failure;
    const tooLong = error instanceof GitError && error.kind === 'limit';
    if (!tooLong || at + pauseMilliseconds <= monotonic()) answers.delete(key);
    if (!tooLong || answers.has(key)) throw error;
  }
  const answer: Answer = {};
  const [oldest] = answers.keys();
  if (oldest !== undefined && answers.size >= answersMax) answers.delete(oldest);
  answers.set(key, answer);
  const counting = count(directory, tip).then((counted) => {
    answer.statistics = counted;
  });
  inBackground(counting, (error) => {
    answer.failure = { error, at: monotonic() };
  });
  return undefined;
}

async function count(directory: GitDirectory, tip: ObjectId): Promise<HistoryStatistics> {
  const commits = await countCommits(directory, tip, []);
  const { bytes } = await runIn(
    directory,
    [
      'log',
      '--no-merges',
      '--date=raw',
      '--format=%x00%ad %ae',
      ...(commits < commitsWithLinesMax ? ['--shortstat'] : []),
      '--end-of-options',
      tip,
      '--',
    ],
    { limits, slow: true, outputBytesMax },
  );
  return { commits, ...sumUp(bytes.toString()) };
}

type Days = Map<number, { day: number; commits: number; additions: number; deletions: number }>;

function sumUp(output: string): Omit<HistoryStatistics, 'commits'> {
  const days: Days = new Map();
  const authors = new Map<string, { email: string; commits: number; days: Days }>();
  const hours = Array.from({ length: 7 * 24 }, () => 0);
  // In front of each commit, which no line of git-log(1) has.
  for (const record of output.split('\0').slice(1)) {
    const [head = '', ...lines] = record.split('\n');
    const [, date = '', sign, zoneHours, zoneMinutes, email = ''] =
      /^(\d+) ([+-])(\d\d)(\d\d) (.*)$/.exec(head) ?? [];
    if (sign === undefined) continue;
    const seconds = Number(date);
    const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60;
    const hour = hourOfWeek(sign === '-' ? seconds - offset : seconds + offset);
    hours[hour] = (hours[hour] ?? 0) + 1;
    const author = authors.get(email) ?? { email, commits: 0, days: new Map() };
    authors.set(email, author);
    author.commits += 1;
    const stat = lines.join('');
    const change = {
      additions: Number(/(\d+) insertion/.exec(stat)?.[1] ?? 0),
      deletions: Number(/(\d+) deletion/.exec(stat)?.[1] ?? 0),
    };
    const day = Math.floor(seconds / daySeconds);
    for (const each of [days, author.days]) add(each, day, change);
  }
  const first = [...authors.values()]
    .toSorted((one, other) => other.commits - one.commits)
    .slice(0, authorsMax);
  return {
    days: inOrder(days),
    authors: first.map((author) => ({ email: author.email, days: inOrder(author.days) })),
    hours,
  };
}

function add(days: Days, day: number, change: { additions: number; deletions: number }): void {
  const known = days.get(day) ?? { day, commits: 0, additions: 0, deletions: 0 };
  days.set(day, known);
  known.commits += 1;
  known.additions += change.additions;
  known.deletions += change.deletions;
}

function inOrder(days: Days): DayOfCommits[] {
  return [...days.values()].toSorted((one, other) => one.day - other.day);
}

/** The first hour is on Sunday; the epoch began on a Thursday. */
function hourOfWeek(seconds: number): number {
  const hours = Math.floor(seconds / 3600) + 4 * 24;
  return ((hours % 168) + 168) % 168;
}
