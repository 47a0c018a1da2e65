import type { MergeTreesResult } from './git.ts';
import { writingTo } from './git-directory.ts';
import type { GitDirectory } from './git-directory.ts';
import { GitError } from './git-error.ts';
import { mergeBase } from './history.ts';
import type { ObjectId } from './names.ts';

export function mergeTrees(
  directory: GitDirectory,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<MergeTreesResult> {
  return writingTo(directory, async () => {
    const { id, path, host } = directory;
    const answer = await host.merges.merge(id, path, ours, theirs);
    if (answer) return answer;
    if ((await mergeBase(directory, ours, theirs)) === undefined) return { kind: 'unrelated' };
    throw new GitError('failed', `git could not merge ${theirs} into ${ours}.`);
  });
}
