import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import type { Divergence } from '../history-summary.ts';
import { GitError } from '../git-error.ts';
import type { ObjectId } from '../names.ts';
import { AnswerCache } from './answer-cache.ts';

/** Time to count how far the branches on a page are from the default branch, of all together: a page waits for them. */
const secondsMax = 5;

/** Count of how far a branch is from another: time, and memory. */
const limits = { seconds: secondsMax, memoryBytes: 512 * 1024 * 1024 };

/**
 * Branches for which this is counted at once: as many as there are slow commands, so that others get their turn between those
 * of one page.
 */
const tipsAtOnce = 2;

/** Answers about how far a branch is from another that are held. */
const answersMax = 1000;

/** By directory, base and tip. */
const answers = new AnswerCache<Divergence | undefined>(answersMax);

export async function divergences(
  directory: GitDirectory,
  base: ObjectId,
  tips: readonly ObjectId[],
  milliseconds: number = secondsMax * 1000,
): Promise<readonly (Divergence | undefined)[]> {
  const deadline = performance.now() + milliseconds;
  const found = new Map<ObjectId, Divergence | undefined>();
  const waiting = tips.values();
  const work = async (): Promise<void> => {
    for (const tip of waiting) {
      const key = `${directory.path} ${base} ${tip}`;
      const answer =
        performance.now() < deadline
          ? answers.get(key, () => divergence(directory, base, tip))
          : answers.held(key);
      found.set(tip, await answer);
    }
  };
  await Promise.all(Array.from({ length: tipsAtOnce }, work));
  return tips.map((tip) => found.get(tip));
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
    const { bytes } = await runIn(directory, parts, { limits, slow: true });
    const [behind, ahead] = bytes.toString().trim().split('\t').map(Number);
    return { ahead: ahead ?? 0, behind: behind ?? 0 };
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'limit') throw error;
    return undefined;
  }
}
