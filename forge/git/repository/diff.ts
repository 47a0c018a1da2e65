import type { DiffOptions, DiffStat, FileChange } from '../file-change.ts';
import { runIn } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { parseDiff } from '../format/parse-diff.ts';
import type { ObjectId } from '../names.ts';
import { AnswerCache } from './answer-cache.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Diff of two commits: time. */
const limits = { seconds: 20 };
const mebibyte = 1024 * 1024;

/** Pairs of commits for which the size of the diff is held; opening a pull and its test merge ask for the same one. */
const statsMax = 5000;
const stats = new AnswerCache<DiffStat>(statsMax);

/**
 * Makes a diff independent of the configuration of repository and host.
 */
const neutral = ['--no-ext-diff', '--no-textconv', '--no-color'];

export async function diffFiles(
  directory: GitDirectory,
  from: ObjectId | undefined,
  to: ObjectId,
  options: DiffOptions,
): Promise<FileChange[]> {
  const parts = [
    'diff',
    ...neutral,
    '--raw',
    '--numstat',
    '-z',
    '--no-abbrev',
    ...(options.patches ? ['--patch'] : []),
    ...(options.ignoreWhitespace ? ['--ignore-all-space'] : []),
    ...(from === undefined ? [emptyTree, to] : [from, to]),
    '--',
  ];
  // The list of files comes first and the patches after it: where the output is cut, later patches
  // are missing.
  const { bytes, cut } = await runIn(directory, parts, {
    limits,
    outputBytesMax: 64 * mebibyte,
    cut: true,
  });
  return parseDiff(bytes, cut, options);
}

export function diffStat(
  directory: GitDirectory,
  from: ObjectId | undefined,
  to: ObjectId,
): Promise<DiffStat> {
  return stats.get(`${directory.path} ${from ?? ''} ${to}`, () =>
    countChanges(directory, from, to),
  );
}

async function countChanges(
  directory: GitDirectory,
  from: ObjectId | undefined,
  to: ObjectId,
): Promise<DiffStat> {
  const parts = ['diff', ...neutral, '--shortstat', from ?? emptyTree, to, '--'];
  const { bytes } = await runIn(directory, parts, { limits });
  const text = bytes.toString();
  // ` 3 files changed, 10 insertions(+), 2 deletions(-)`, without the parts that are zero.
  const numberBefore = (word: RegExp) => Number(word.exec(text)?.[1] ?? 0);
  return {
    files: numberBefore(/(\d+) files? changed/),
    additions: numberBefore(/(\d+) insertions?\(/),
    deletions: numberBefore(/(\d+) deletions?\(/),
  };
}

export async function diffText(
  directory: GitDirectory,
  from: ObjectId | undefined,
  to: ObjectId,
): Promise<Buffer> {
  const parts = ['diff', ...neutral, from ?? emptyTree, to, '--'];
  const { bytes } = await runIn(directory, parts, { limits, outputBytesMax: 256 * mebibyte });
  return bytes;
}

export async function formatPatch(
  directory: GitDirectory,
  exclude: ObjectId | undefined,
  include: ObjectId,
): Promise<Buffer> {
  const range = exclude === undefined ? ['--root', include] : [`${exclude}..${include}`];
  const parts = ['format-patch', '--stdout', ...neutral, ...range, '--'];
  const { bytes } = await runIn(directory, parts, { limits, outputBytesMax: 256 * mebibyte });
  return bytes;
}
