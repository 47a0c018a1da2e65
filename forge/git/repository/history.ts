import type { Commit, LogOptions } from '../git.ts';
import { runIn } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import { expectObjectId, parseObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';
import { AnswerCache } from './answer-cache.ts';
import { readCommit, readParents, textBytesMax } from './objects.ts';

/** Commits of a history that is read from its oldest end, which cannot stop early. */
const reversedMax = 100_000;

/** Commits of a list together, as far as they are read; each at least as far as `listedTextBytesMin` says. */
const listedTextBytesMax = 8 * 1024 * 1024;
/** Commit of a long list, as far as it is read. */
const listedTextBytesMin = 64 * 1024;

/** Histories of paths: git walks the whole history for a file that few commits have changed. */
const pathHistories = new AnswerCache<readonly ObjectId[]>(1000);

/**
 * Pairs of commits for which the merge base and the number of commits between them are held: opening a pull, its test merge,
 * its page and its merge ask the same.
 */
const pairsMax = 5000;
const counts = new AnswerCache<number>(pairsMax);
const mergeBases = new AnswerCache<ObjectId | undefined>(pairsMax);

export async function log(directory: GitDirectory, options: LogOptions): Promise<Commit[]> {
  // No author's name has these, and `--author` would take them for several patterns.
  if (options.authors?.some((author) => /[\n\0]/.test(author))) return [];
  const isCached =
    options.path !== undefined &&
    options.notIn === undefined &&
    !options.reverse &&
    options.max <= 200;
  const ids = isCached
    ? await pathHistories.get(`${directory.path} ${logArguments(options).join('\0')}`, () =>
        listIds(directory, options),
      )
    : await listIds(directory, options);
  const wanted = options.reverse
    ? ids.slice(options.skip ?? 0, (options.skip ?? 0) + options.max)
    : ids;
  if (options.withoutText) {
    return Promise.all(wanted.map((id) => requireCommit(id, readParents(directory, id))));
  }
  const bytesMax = Math.min(
    textBytesMax,
    Math.max(listedTextBytesMin, Math.floor(listedTextBytesMax / wanted.length)),
  );
  return Promise.all(wanted.map((id) => requireCommit(id, readCommit(directory, id, bytesMax))));
}

async function listIds(directory: GitDirectory, options: LogOptions): Promise<readonly ObjectId[]> {
  // Excluded commits may be the tips of all branches: more than a command line holds.
  const input = (options.notIn ?? []).map((id) => `^${id}\n`).join('');
  const { bytes } = await runIn(directory, ['rev-list', ...logArguments(options)], { input });
  return parseIds(bytes);
}

function logArguments(options: LogOptions): string[] {
  const { since, until, authors, message } = options;
  return [
    // git counts before it reverses: the oldest page of a reversed list is cut out afterwards.
    ...(options.reverse
      ? ['--topo-order', '--reverse', `--max-count=${reversedMax}`]
      : [`--skip=${count(options.skip ?? 0)}`, `--max-count=${count(options.max)}`]),
    ...(since === undefined ? [] : [`--max-age=${count(since)}`]),
    ...(until === undefined ? [] : [`--min-age=${count(until)}`]),
    ...(authors ? ['--fixed-strings', ...authors.map((author) => `--author=${author}`)] : []),
    ...(message === undefined
      ? []
      : ['--extended-regexp', '--regexp-ignore-case', `--grep=${message}`]),
    '--stdin',
    '--end-of-options',
    options.from,
    '--',
    ...(options.path === undefined ? [] : [options.path]),
  ];
}

function count(value: number): number {
  return Math.min(Math.max(Math.trunc(value), 0), 0x7fff_ffff);
}

async function requireCommit(id: ObjectId, read: Promise<Commit | undefined>): Promise<Commit> {
  const commit = await read;
  if (!commit) throw new GitError('missing-object', `The commit ${id} was listed and is absent.`);
  return commit;
}

export function countCommits(
  directory: GitDirectory,
  from: ObjectId,
  notIn: readonly ObjectId[],
): Promise<number> {
  const countByGit = async (): Promise<number> => {
    const revisions = [from, ...notIn.map((id) => `^${id}`)];
    const parts = ['rev-list', '--count', '--end-of-options', ...revisions, '--'];
    const { bytes } = await runIn(directory, parts);
    return Number(bytes.toString());
  };
  if (notIn.length > 1) return countByGit();
  return counts.get([directory.path, from, ...notIn].join(' '), countByGit);
}

export function mergeBase(
  directory: GitDirectory,
  one: ObjectId,
  other: ObjectId,
): Promise<ObjectId | undefined> {
  return mergeBases.get(`${directory.path} ${one} ${other}`, async () => {
    const { bytes } = await runIn(directory, ['merge-base', one, other], { statuses: [0, 1] });
    return parseObjectId(bytes.toString().trim());
  });
}

/** A commit that is an ancestor of another is their only merge base. */
export async function isAncestor(
  directory: GitDirectory,
  ancestor: ObjectId,
  descendant: ObjectId,
): Promise<boolean> {
  return (await mergeBase(directory, ancestor, descendant)) === ancestor;
}

function parseIds(bytes: Buffer): ObjectId[] {
  return bytes.toString().split('\n').filter(Boolean).map(expectObjectId);
}
