import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import type { Contributor } from '../git.ts';
import type { ObjectId } from '../names.ts';

const mebibyte = 1024 * 1024;

/** The whole history is read. */
const limits = { seconds: 20, memoryBytes: 512 * mebibyte };

/** The answers for so many commits are held: a commit determines its history. */
const answersMax = 16;

const answers = new Map<ObjectId, readonly Contributor[]>();

/** The authors of a history, the one with the most commits first; of very many, those with the most. */
export async function contributors(
  directory: GitDirectory,
  tip: ObjectId,
): Promise<readonly Contributor[]> {
  const known = answers.get(tip);
  if (known) return known;
  const { bytes, cut } = await runIn(
    directory,
    ['shortlog', '--summary', '--numbered', '--email', tip],
    {
      limits,
      slow: true,
      // As on GitHub, `.mailmap` has no effect.
      settings: ['mailmap.blob='],
      outputBytesMax: mebibyte,
      cut: true,
    },
  );
  const lines = bytes.toString().split('\n');
  if (cut) lines.pop();
  const found = lines.flatMap(parseLine);
  const [oldest] = answers.keys();
  if (oldest !== undefined && answers.size >= answersMax) answers.delete(oldest);
  answers.set(tip, found);
  return found;
}

/** A line of git-shortlog(1): `  3\tName <email>`. */
function parseLine(line: string): Contributor[] {
  const [, commits, name, email] = /^ *(\d+)\t(.*) <(.*)>$/.exec(line) ?? [];
  if (commits === undefined || name === undefined || email === undefined) return [];
  return [{ name, email, commits: Number(commits) }];
}
