import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { PullSize } from './pull.ts';

/** What a pull shows: the commits its head has and its base lacks, and the changes since they parted (three dots). */
export async function measurePull(
  repository: GitRepository,
  baseSha: ObjectId,
  headSha: ObjectId,
): Promise<PullSize> {
  const mergeBase = await repository.mergeBase(baseSha, headSha);
  const [commits, stat] = await Promise.all([
    repository.countCommits(headSha, [baseSha]),
    repository.diffStat(mergeBase, headSha),
  ]);
  return {
    commits,
    additions: stat.additions,
    deletions: stat.deletions,
    changedFiles: stat.files,
  };
}
