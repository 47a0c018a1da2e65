import { isDiskFull } from '#platform/disk-space.ts';

import type { MergeTreesResult } from '../git.ts';
import { whileMarkedDirty } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { Quarantine } from '../commands/quarantine.ts';
import { mergeBase } from './history.ts';
import type { ObjectId } from '../names.ts';

/** Merges two commits. Only what a clean merge made stays in the repository. */
export function mergeTrees(
  directory: GitDirectory,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<MergeTreesResult> {
  return inQuarantine(directory, async (quarantine) => {
    const merged = await mergeIn(directory, quarantine, ours, theirs);
    if (merged.kind === 'clean') await quarantine.migrate(merged.tree, 'tree');
    return merged;
  });
}

/** Runs work whose objects are deleted afterwards. */
export function inQuarantine<T>(
  directory: GitDirectory,
  work: (quarantine: Quarantine) => Promise<T>,
): Promise<T> {
  const { id, path, state } = directory;
  return whileMarkedDirty(directory, () => state.quarantines.use(id, path, work));
}

export async function mergeIn(
  directory: GitDirectory,
  quarantine: Quarantine,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<MergeTreesResult> {
  const response = await quarantine.merge(ours, theirs);
  if (response) return response;
  if ((await mergeBase(directory, ours, theirs)) === undefined) return { kind: 'unrelated' };
  if (await isDiskFull(directory.path)) {
    throw new GitError('disk-full', 'No space left on the disk for a merge.');
  }
  throw new GitError('failed', `git could not merge ${theirs} into ${ours}.`);
}
