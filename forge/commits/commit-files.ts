import type { DiffStat, FileChange, GitRepository } from '../git/git.ts';
import type { Commit } from '../git/git.ts';
import { filePatchBytesMax, patchBytesMax } from './file-json.ts';

/** What a commit changed compared to its first parent. */
export interface CommitChanges {
  readonly stat: DiffStat;
  /** At most 3000 of them. */
  readonly files: readonly FileChange[];
}

const filesMax = 3000;

export async function changesOf(git: GitRepository, commit: Commit): Promise<CommitChanges> {
  const parent = commit.parents[0];
  const [stat, files] = await Promise.all([
    git.diffStat(parent, commit.id),
    git.diffFiles(parent, commit.id, {
      filesMax,
      patches: true,
      patchBytesMax: filePatchBytesMax,
      totalBytesMax: patchBytesMax,
    }),
  ]);
  return { stat, files };
}
