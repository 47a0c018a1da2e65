import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import type { Contributor } from '../history-summary.ts';
import { GitError } from '../git-error.ts';
import type { ObjectId } from '../names.ts';

const mebibyte = 1024 * 1024;

/** Authors that `git shortlog` of one repository lists. */
const outputBytesMax = mebibyte;

/** `git shortlog` in one repository, which reads the whole history: time, and memory. */
const limits = { seconds: 20, memoryBytes: 512 * mebibyte };

/** Commits whose `git shortlog` is held: a commit determines its history. */
const answersMax = 16;

/**
 * Time for which a history whose `git shortlog` took too long is not counted again: each attempt holds a slow command for the
 * whole limit.
 */
const pauseMilliseconds = 60_000;

interface Answer {
  readonly contributors: Promise<readonly Contributor[]>;
  /** When it was counted in vain. */
  exceededAt?: number;
}

/** By directory and tip. Requests at the same time share the promise. */
const answers = new Map<string, Answer>();

/** The authors of a history, the one with the most commits first; of very many, those with the most. */
export function contributors(
  directory: GitDirectory,
  tip: ObjectId,
  monotonic: () => number = () => performance.now(),
): Promise<readonly Contributor[]> {
  const key = `${directory.path} ${tip}`;
  const known = answers.get(key);
  const isDue = (known?.exceededAt ?? Infinity) + pauseMilliseconds <= monotonic();
  if (known && !isDue) return known.contributors;
  const answer: Answer = { contributors: count(directory, tip) };
  answers.delete(key);
  const [oldest] = answers.keys();
  if (oldest !== undefined && answers.size >= answersMax) answers.delete(oldest);
  answers.set(key, answer);
  // The callers get a failure; here it only decides whether the answer stays in the cache.
  answer.contributors.catch((error: unknown) => {
    if (error instanceof GitError && error.kind === 'limit') answer.exceededAt = monotonic();
    else if (answers.get(key) === answer) answers.delete(key);
  });
  return answer.contributors;
}

async function count(directory: GitDirectory, tip: ObjectId): Promise<readonly Contributor[]> {
  const { bytes, cut } = await runIn(
    directory,
    ['shortlog', '--summary', '--numbered', '--email', tip],
    {
      limits,
      slow: true,
      // As on GitHub, `.mailmap` has no effect.
      settings: ['mailmap.blob='],
      outputBytesMax,
      cut: true,
    },
  );
  const lines = bytes.toString().split('\n');
  if (cut) lines.pop();
  return lines.flatMap(parseLine);
}

/** A line of git-shortlog(1): `  3\tName <email>`. */
function parseLine(line: string): Contributor[] {
  const [, commits, name, email] = /^ *(\d+)\t(.*) <(.*)>$/.exec(line) ?? [];
  if (commits === undefined || name === undefined || email === undefined) return [];
  return [{ name, email, commits: Number(commits) }];
}
