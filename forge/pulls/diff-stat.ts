import type { DiffStat } from '../git/file-change.ts';
import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import type { ObjectId } from '../git/names.ts';
import { hasCurrentTestMerge, type Pull, type PullSize } from '../model/pull.ts';

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

/** The size as it is now: the row has it of before the base moved, until the next test merge. */
export async function presentSize(git: GitRepository, pull: Pull): Promise<PullSize> {
  const { state, testMerge, base, head, size } = pull;
  const isStale = state === 'open' && testMerge && testMerge.baseSha !== base.sha;
  return isStale ? unlessGitFails(computePullStats(git, base.sha, head.sha), size) : size;
}

/** How many commits the list of the pull's commits has now. */
export async function countPresentCommits(git: GitRepository, pull: Pull): Promise<number> {
  return hasCurrentTestMerge(pull)
    ? pull.size.commits
    : unlessGitFails(git.countCommits(pull.head.sha, [pull.base.sha]), pull.size.commits);
}

/** What the row has is shown where git cannot count: a pull must be readable then, too. The test merge, which meets the same error, tells the log of it. */
async function unlessGitFails<T>(counted: Promise<T>, stored: T): Promise<T> {
  try {
    return await counted;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return stored;
  }
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
