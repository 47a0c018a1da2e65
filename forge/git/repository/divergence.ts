import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import type { Divergence } from '../history-summary.ts';
import { GitError } from '../git-error.ts';
import type { ObjectId } from '../names.ts';
import { AnswerCache } from './answer-cache.ts';

/** For each tip: a page waits for all of them. */
const limits = { seconds: 5, memoryBytes: 512 * 1024 * 1024 };

const answersMax = 1000;

/** By directory, base and tip. */
const answers = new AnswerCache<Divergence | undefined>(answersMax);

export function divergences(
  directory: GitDirectory,
  base: ObjectId,
  tips: readonly ObjectId[],
): Promise<readonly (Divergence | undefined)[]> {
  return Promise.all(
    tips.map((tip) =>
      answers.get(`${directory.path} ${base} ${tip}`, () => divergence(directory, base, tip)),
    ),
  );
}

async function divergence(
  directory: GitDirectory,
  base: ObjectId,
  tip: ObjectId,
): Promise<Divergence | undefined> {
  const parts = [
    'rev-list',
    '--left-right',
    '--count',
    '--end-of-options',
    `${base}...${tip}`,
    '--',
  ];
  try {
    const { bytes } = await runIn(directory, parts, { limits });
    const [behind, ahead] = bytes.toString().trim().split('\t').map(Number);
    return { ahead: ahead ?? 0, behind: behind ?? 0 };
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'limit') throw error;
    return undefined;
  }
}
