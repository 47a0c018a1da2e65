import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import { readCommitted, type Sql } from '#platform/database/database.ts';

import { refuseMerge } from '../errors/api-error.ts';
import type { RefUpdateResult } from '../git/git.ts';
import type { ObjectId, RefName } from '../git/names.ts';
import type { RefMove } from '../git/ref-update.ts';
import type { Ports } from '../ports/ports.ts';
import type { MergeRecord } from '../pulls/pull-refs-store.ts';
import { completeChange } from './complete-change.ts';
import { type BranchRename, deleteIntent } from './intent-store.ts';
import { resumeLater } from './reconcile.ts';
import { recordIntent } from './record-intent.ts';

export interface RefChange {
  readonly repositoryId: number;
  readonly refs: readonly RefMove[];
  /** Refs that git verifies in the same ref transaction: they must not have moved. */
  readonly verified?: readonly VerifiedRef[];
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

export interface VerifiedRef {
  readonly ref: RefName;
  readonly at: ObjectId;
}

/**
 * Changes refs and the rows that depend on them atomically across git and the database: the intent becomes durable first,
 * then the refs move by compare-and-swap, then the rows are written. After a crash, the next start completes or undoes the
 * change (reconcile.ts). If the result is not `updated`, nothing has changed.
 */
export async function changeRefs(ports: Ports, change: RefChange): Promise<RefUpdateResult> {
  const { repositoryId, refs, verified = [], now, merge, rename, actorId } = change;
  const intentId = await recordIntentOrRefuse(ports, change);
  try {
    const result = await ports.git
      .repository(repositoryId)
      .updateRefs([...refs, ...verified.map(({ ref, at }) => ({ ref, old: at, new: at }))]);
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

async function recordIntentOrRefuse(ports: Ports, change: RefChange): Promise<number> {
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
