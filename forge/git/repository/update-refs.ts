import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { exists } from '../commands/durability.ts';
import { GitError } from '../git-error.ts';
import { runIn, whileMarkedDirty } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { formatTransaction, updateRefArguments } from '../commands/update-ref.ts';
import { noObject, parseRefName } from '../names.ts';
import type { RefName } from '../names.ts';
import { readRef } from './refs.ts';
import type { RefUpdate, RefUpdateResult } from '../ref-update.ts';

/**
 * Moves refs in one transaction and makes it durable. git reports the reason of a refusal only as
 * prose, so the reason is derived from the refs instead.
 */
export function updateRefs(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult> {
  const move = moveRefs(directory, updates);
  directory.state.refMoves.add(directory.id, move);
  return move;
}

async function moveRefs(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult> {
  const needed = await withoutEmptyDeletes(directory, updates);
  if (needed.length === 0) return { kind: 'updated' };
  const result = await whileMarkedDirty(directory, () => updateByBatchProcess(directory, needed));
  // The locks of a killed batch process are removed when its last writer has left: only now can a
  // second try succeed.
  return result ?? whileMarkedDirty(directory, () => updateByCommand(directory, needed));
}

/**
 * The usual way; undefined when the batch process was killed in the middle and the refs did not
 * move.
 */
async function updateByBatchProcess(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult | undefined> {
  const { id, path, state } = directory;
  const outcome = await state.updateRefs.update(id, path, updates);
  if (outcome === 'refused') return updateByCommand(directory, updates);
  if (outcome === 'unknown') {
    state.dirty.writerKilled(id);
    if (!(await didMove(directory, updates))) return undefined;
  }
  await syncRefs(directory, updates);
  return { kind: 'updated' };
}

/**
 * Attempts at a ref update whose refs have their expected values; then 503. git itself waits for locks, for
 * `core.filesRefLockTimeout`; what remains are longer-held locks, and folders that other writers create and remove.
 */
const attemptsMax = 4;

/** The same by a separate `git update-ref`, so that a failure belongs to this transaction alone. */
async function updateByCommand(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult> {
  for (let attempt = 1; ; attempt += 1) {
    const failure = await tryUpdate(directory, updates);
    if (!failure) break;
    const refusal = await findRefusal(directory, updates);
    if (refusal) return refusal;
    // A ref that moved away and back meanwhile leaves nothing to see: then the next try succeeds.
    if (attempt === attemptsMax) throw await nameLocks(directory, updates, failure);
    await delay(2 ** attempt * 10);
  }
  await syncRefs(directory, updates);
  return { kind: 'updated' };
}

/** Whether the transaction failed because others hold the locks that it needs, which is no fault of its own. */
async function nameLocks(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
  failure: GitError,
): Promise<GitError> {
  const names = ['packed-refs', ...updates.map((update) => update.ref)];
  for (const name of names) {
    if (await exists(join(directory.path, `${name}.lock`))) {
      return new GitError('busy', `${name} is locked by another writer.`, { cause: failure });
    }
  }
  return failure;
}

/**
 * Makes changed refs durable: git has synced the files, and this syncs their
 * names.
 */
export async function syncRefs(
  directory: GitDirectory,
  changed: readonly RefUpdate[],
): Promise<void> {
  const moved = changed.filter((each) => each.old !== each.new);
  const directories = moved.flatMap(({ ref, new: next }) => [
    ...foldersOf(ref).map((folder) => join(directory.path, folder)),
    // Deleting a ref may rewrite `packed-refs`.
    ...(next === noObject ? [directory.path] : []),
  ]);
  await directory.state.durability.syncDirectories(directories);
}

/**
 * The folders of a ref that may be new with it: `refs/heads` and `refs/tags` are as old as the
 * repository.
 */
function foldersOf(ref: RefName): string[] {
  const segments = ref.split('/').slice(0, -1);
  const oldest = ['heads', 'tags'].includes(segments[1] ?? '') ? 2 : 1;
  const folders = segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  return folders.slice(oldest - 1);
}

/** Deleting what is absent without a comparison is done already; git calls it an error. */
async function withoutEmptyDeletes(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdate[]> {
  const needed: RefUpdate[] = [];
  for (const update of updates) {
    const isBlindDelete = update.new === noObject && update.old === undefined;
    if (isBlindDelete && (await readRef(directory, update.ref)) === undefined) continue;
    needed.push(update);
  }
  return needed;
}

/** Whether a batch process that was killed had done its last step: it may not have come to say so. */
async function didMove(directory: GitDirectory, updates: readonly RefUpdate[]): Promise<boolean> {
  for (const update of updates) {
    if (((await readRef(directory, update.ref)) ?? noObject) !== update.new) return false;
  }
  return updates.some((update) => update.old !== update.new);
}

async function tryUpdate(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<GitError | undefined> {
  try {
    await runIn(directory, updateRefArguments, { input: formatTransaction(updates) });
    return undefined;
  } catch (error) {
    if (error instanceof GitError && error.kind === 'failed') return error;
    throw error;
  }
}

async function findRefusal(
  directory: GitDirectory,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult | undefined> {
  for (const { ref, old } of updates) {
    if (old === undefined) continue;
    if (((await readRef(directory, ref)) ?? noObject) !== old) return { kind: 'moved', ref };
  }
  const created = updates.filter((each) => each.new !== noObject).map((each) => each.ref);
  for (const ref of created) {
    const others = await neighbours(directory, ref);
    // Also one that the same transaction deletes: git creates first.
    const inTheWay = [...others, ...created].some((other) => isFileAndFolder(ref, other));
    if (inTheWay) return { kind: 'name-conflict' };
  }
  return undefined;
}

/** Refs that could be a folder of this one, or be in it. */
async function neighbours(directory: GitDirectory, ref: RefName): Promise<RefName[]> {
  const segments = ref.split('/');
  const above = segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join('/'));
  const patterns = [...above.slice(2), ref];
  const { bytes } = await runIn(directory, [
    'for-each-ref',
    '--format=%(refname)',
    '--',
    ...patterns,
  ]);
  return bytes
    .toString()
    .split('\n')
    .map(parseRefName)
    .filter((name) => name !== undefined);
}

function isFileAndFolder(one: RefName, other: RefName): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
