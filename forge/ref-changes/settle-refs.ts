import type { RefMove } from '../git/git.ts';
import type { Ports } from '../ports.ts';
import { applyFollowing, planFollowing } from '../pulls/follow-refs.ts';
import { type MergeRecord, recordMerge } from '../pulls/pull-change-store.ts';
import { markPushed } from '../repositories/repository-store.ts';
import { repositoryLane } from '../repositories/repository.ts';
import { deleteIntent } from './intent-store.ts';

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
