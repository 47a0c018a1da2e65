import type { Sql } from '#platform/database.ts';

import type { RefMove, RefUpdateResult } from '../git/git.ts';
import type { Ports } from '../ports.ts';
import { applyFollowing, planFollowing } from '../pulls/follow-refs.ts';
import { type MergeRecord, recordMerge } from '../pulls/pull-change-store.ts';
import { markPushed } from '../repositories/repository-store.ts';
import { repositoryLane } from '../repositories/repository.ts';
import { deleteIntent, insertIntent, type IntendedMove } from './intent-store.ts';

export interface RefChange {
  readonly repositoryId: number;
  readonly refs: readonly IntendedMove[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Set when the change is the merge of a pull. */
  readonly merge?: MergeRecord;
  /** Checked once more in the transaction that makes the intent durable; refuses by throwing. */
  readonly guard?: (sql: Sql) => Promise<void>;
}

/**
 * Changes refs and the rows that follow from them as one thing in two stores: the intent is durable first, then the refs
 * move by compare-and-swap, then the rows are finished. A crash in between is finished or undone at the next start
 * (reconcile.ts). When the answer is not `updated`, nothing has changed.
 */
export async function changeRefs(ports: Ports, change: RefChange): Promise<RefUpdateResult> {
  const { repositoryId, refs, now, merge } = change;
  const intentId = await ports.database.write(
    async (sql) => {
      await change.guard?.(sql);
      const kind = merge ? 'merge' : 'update';
      return insertIntent(sql, { repositoryId, refs, merge, kind, now });
    },
    { lane: repositoryLane(repositoryId) },
  );
  const result = await ports.git.repository(repositoryId).updateRefs(refs);
  if (result.kind !== 'updated') {
    await ports.database.write((sql) => deleteIntent(sql, intentId));
    return result;
  }
  await settleRefs(ports, { intentId, repositoryId, moves: refs, now, merge });
  return result;
}

export interface Settlement {
  readonly intentId: number;
  readonly repositoryId: number;
  /** The refs that really moved. */
  readonly moves: readonly RefMove[];
  readonly now: number;
  readonly merge?: MergeRecord | undefined;
}

/** Refs have moved and are durable: brings the rows to where the refs are and forgets the intent. */
export async function settleRefs(ports: Ports, settlement: Settlement): Promise<void> {
  const { intentId, repositoryId, moves, now, merge } = settlement;
  const plan = await planFollowing(ports, repositoryId, moves);
  await ports.database.write(
    async (sql) => {
      if (merge) await recordMerge(sql, merge);
      await applyFollowing(sql, plan, now);
      if (moves.length > 0) await markPushed(sql, repositoryId, now);
      await deleteIntent(sql, intentId);
    },
    { lane: repositoryLane(repositoryId) },
  );
  plan.startTests(ports);
}
