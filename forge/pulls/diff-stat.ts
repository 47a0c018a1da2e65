import type { DiffStat } from '../git/file-change.ts';
import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import type { ObjectId } from '../git/names.ts';
import type { PullSize } from '../model/pull.ts';

/** The size of a pull: the commits that only its head contains, and the changes since the merge base (three dots). */
export async function computePullStats(
  repository: GitRepository,
  baseSha: ObjectId,
  headSha: ObjectId,
): Promise<PullSize> {
  const mergeBase = await repository.mergeBase(baseSha, headSha);
  const [commits, stat] = await Promise.all([
    repository.countCommits(headSha, [baseSha]),
    changesBetween(repository, mergeBase, headSha),
  ]);
  return {
    commits,
    additions: stat.additions,
    deletions: stat.deletions,
    changedFiles: stat.files,
  };
}

/** Returns zeros if git exceeds its time limit, so that such a pull can still be opened, updated and merged. */
async function changesBetween(
  repository: GitRepository,
  from: ObjectId | undefined,
  to: ObjectId,
): Promise<DiffStat> {
  try {
    return await repository.diffStat(from, to);
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'diff-limit') throw error;
    return { files: 0, additions: 0, deletions: 0 };
  }
}
