import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import { readCommitted, type Sql } from '#platform/database/database.ts';
import { currentLineage } from '#platform/invocation-lineage.ts';
import { systemRandom } from '#platform/random.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { refuse, refuseMerge } from '../errors/api-error.ts';
import type { ObjectId, RefName } from '../git/names.ts';
import type { RefMove, RefUpdateResult } from '../git/ref-update.ts';
import { inRepositoryQueue } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import type { MergeRecord } from '../pulls/merge-store.ts';
import { completeChange } from './complete-change.ts';
import {
  type BranchRename,
  deleteIntent,
  insertIntent,
  isBeingRenamed,
  type NewIntent,
} from './intent-store.ts';
import { resumeLater } from './reconcile.ts';
import { requireShardOwnership, withCurrentShardOwner } from './shard-ownership.ts';
import { removeUnacknowledged } from './unacknowledged-intents.ts';

export interface ChangeRefsInput {
  readonly repositoryId: number;
  readonly refs: readonly RefMove[];
  /** Refs that must not have moved, by their values: git compares them in the same ref transaction. */
  readonly verified?: ReadonlyMap<RefName, ObjectId>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Set when the change is the merge of a pull. */
  readonly merge?: MergeRecord;
  /** Set when the change is the renaming of a branch. */
  readonly rename?: BranchRename;
  /** Who asked for it. */
  readonly actorId?: number;
  /** Checked once more in the transaction that makes the intent durable; refuses by throwing. */
  readonly check?: (sql: Sql) => Promise<void>;
}

/**
 * Changes refs and the rows that depend on them atomically across git and the database: the intent becomes durable first,
 * then the refs move by compare-and-swap, then the rows are written. What a failure or a crash interrupts, reconcile.ts completes, or
 * drops if no ref has moved. If the result is not `updated`, nothing has changed.
 */
export async function changeRefs(ports: Ports, change: ChangeRefsInput): Promise<RefUpdateResult> {
  const { repositoryId, refs, verified, now, merge, rename, actorId } = change;
  const intentId = await recordIntentOrRefuse(ports, change);
  try {
    const unmoved = [...(verified ?? [])].map(([ref, at]) => ({ ref, old: at, new: at }));
    const result = await ports.git.repository(repositoryId).updateRefs([...refs, ...unmoved]);
    if (result.kind === 'updated') {
      const moved = { intentId, repositoryId, moves: refs, now };
      await completeChange(ports, { ...moved, merge, rename, actorId });
    } else {
      // Read committed: one row by its id, and nothing that was read decides about it.
      await ports.database.write((sql) => deleteIntent(sql, intentId), readCommitted);
    }
    return result;
  } catch (error) {
    // The refs may have moved even if git died before it answered.
    resumeLater(ports, intentId, repositoryId);
    throw error;
  }
}

async function recordIntentOrRefuse(ports: Ports, change: ChangeRefsInput): Promise<number> {
  const { repositoryId, refs, now, merge, rename, actorId } = change;
  const intent = {
    repositoryId,
    refs,
    merge,
    rename,
    actorId,
    kind: merge ? 'merge' : 'update',
    now,
  } as const;
  try {
    return await recordIntent(ports, intent, async (sql) => change.check?.(sql));
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    return refuseMerge('merge-in-progress');
  }
}

/**
 * Makes an intent durable, in one transaction with the checks that it depends on; they refuse by throwing. git must not be
 * called before this resolves: an intent whose commit was not acknowledged is deleted later, on the assumption that no ref moved.
 */
export async function recordIntent(
  ports: Ports,
  intent: NewIntent,
  check: (sql: Sql) => Promise<void>,
): Promise<number> {
  return withCurrentShardOwner(ports, () => tryToRecord(ports, intent, check));
}

async function tryToRecord(
  ports: Ports,
  intent: NewIntent,
  check: (sql: Sql) => Promise<void>,
): Promise<number> {
  const { repositoryId } = intent;
  const key = systemRandom.id();
  let isInserted = false;
  try {
    return await ports.database.write(async (sql) => {
      await requireShardOwnership(ports, sql, repositoryId);
      await check(sql);
      await refuseRenamed(
        sql,
        repositoryId,
        intent.refs.map(({ ref }) => ref),
      );
      const id = await insertIntent(sql, {
        ...intent,
        serverId: ports.serverId,
        lineage: currentLineage(),
        key,
      });
      isInserted = true;
      return id;
    }, inRepositoryQueue(repositoryId));
  } catch (error) {
    if (isInserted && error instanceof DatabaseUnavailableError) {
      removeUnacknowledged(ports, repositoryId, key);
    }
    throw error;
  }
}

/**
 * Until the rows have followed a renaming, the rules of the branch are under its old name: nothing moves a ref of either name. Intents that
 * were recorded before the renaming fail in git: their old values no longer match.
 */
export async function refuseRenamed(
  sql: Sql,
  repositoryId: number,
  refs: readonly RefName[],
): Promise<void> {
  if (!(await isBeingRenamed(sql, repositoryId, refs))) return;
  refuse({ kind: 'conflict', message: 'The branch is being renamed. Try again.' });
}

/** Merges that wait for one branch; more are answered 503. */
const waitingMax = 250;

/** Runs a merge into a branch after all merges requested before it: they would take the branch from each other. */
export async function inMergeTurn<T>(
  { serialQueues }: Pick<Ports, 'serialQueues'>,
  repositoryId: number,
  branch: string,
  merge: () => Promise<T>,
): Promise<T> {
  const queue = `merges into ${branch} of repository ${repositoryId}`;
  if (serialQueues.length(queue) > waitingMax) {
    refuse({
      kind: 'unavailable',
      message: `Too many merges into ${branch} are waiting. Try again later.`,
    });
  }
  return serialQueues.run(queue, merge);
}
