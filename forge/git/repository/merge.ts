import { isDiskFull } from '#platform/disk-space.ts';
import { isDiskFullMessage } from '#platform/storage-failure.ts';

import type { MergeTreesResult } from '../git.ts';
import { BatchProcessLost } from '../commands/batch-process.ts';
import type { BatchRequest } from '../commands/batch-process.ts';
import { whileMarkedDirty } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { Quarantine } from '../commands/quarantine.ts';
import { mergeBase } from './history.ts';
import { expectObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';

/** Time of a merge, a test merge too. */
const mergeSeconds = 60;
/** Memory of a merge, a test merge too. */
const mergeLimits = { memoryBytes: 1024 * 1024 * 1024 };

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

/** Merges two commits into a tree in the quarantine. */
export async function mergeIn(
  directory: GitDirectory,
  quarantine: Quarantine,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<MergeTreesResult> {
  const response = (await directory.state.longLivedMerges())
    ? await mergeByBatchProcess(quarantine, ours, theirs)
    : await mergeByCommand(quarantine, ours, theirs);
  if (response) return response;
  if ((await mergeBase(directory, ours, theirs)) === undefined) return { kind: 'unrelated' };
  if (await isDiskFull(directory.path)) {
    throw new GitError('disk-full', 'No space left on the disk for a merge.');
  }
  throw new GitError('failed', `git could not merge ${theirs} into ${ours}.`);
}

type MergeResponse = Exclude<MergeTreesResult, { readonly kind: 'unrelated' }>;

/** The usual way; undefined when git would not begin the merge: the histories are unrelated or a commit is absent. */
async function mergeByBatchProcess(
  quarantine: Quarantine,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<MergeResponse | undefined> {
  const batch = quarantine.batch(mergeTreeArguments, mergeLimits, mergeSeconds);
  try {
    return await batch.send(mergeRequest(ours, theirs));
  } catch (error) {
    if (!(error instanceof BatchProcessLost)) throw error;
    // The process ends at the first pair it refuses, and later pairs fail with it: each is retried
    // separately.
    return mergeByCommand(quarantine, ours, theirs);
  }
}

/** The same by a separate `git merge-tree`. */
async function mergeByCommand(
  quarantine: Quarantine,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<MergeResponse | undefined> {
  const parts = ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs];
  const limits = { ...mergeLimits, seconds: mergeSeconds };
  const { status, bytes, errorText } = await quarantine.run(parts, {
    limits,
    statuses: [0, 1, 128],
  });
  // Later the space may be there again, which the disk itself would say.
  if (status === 128 && isDiskFullMessage(errorText)) {
    throw new GitError('disk-full', 'No space left on the disk for a merge.');
  }
  // With a commit that is absent git prints nothing and ends with the status of a conflict.
  if (status === 128 || bytes.length === 0) return undefined;
  const fields = bytes
    .toString()
    .split('\0')
    .filter((field) => field !== '');
  return parseMerge([status === 0 ? '1' : '0', ...fields]);
}

/**
 * The command that answers merges. It never flushes its output in git 2.39, so it needs the
 * unbuffered start; without that each merge is a command of its own (merge-probe.ts).
 */
export const mergeTreeArguments: readonly string[] = [
  'merge-tree',
  '--write-tree',
  '--stdin',
  '--no-messages',
];

/**
 * Asks for the merge of two commits. Each response: `1` or `0`, the tree, conflicted stages; an empty
 * field ends it.
 */
export function mergeRequest(ours: ObjectId, theirs: ObjectId): BatchRequest<MergeResponse> {
  const fields: string[] = [];
  return {
    line: `${ours} ${theirs}\n`,
    read(arrived) {
      for (;;) {
        const field = arrived.takeUntil(0)?.toString();
        if (field === undefined) return undefined;
        if (field === '') return { response: parseMerge(fields) };
        fields.push(field);
      }
    },
  };
}

/**
 * Reads the fields of a response: status, tree, then `<mode> <object> <stage> TAB <path>` for each
 * stage.
 */
export function parseMerge(fields: readonly string[]): MergeResponse {
  const [status, tree, ...stages] = fields;
  if (status === '1') return { kind: 'clean', tree: expectObjectId(tree) };
  if (status !== '0') throw new Error(`not a merge status: ${status ?? ''}`);
  const paths = stages.map((stage) => stage.slice(stage.indexOf('\t') + 1));
  return { kind: 'conflict', paths: [...new Set(paths)].toSorted() };
}
