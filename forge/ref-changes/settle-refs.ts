import type { Sql } from '#platform/database.ts';

import { activitiesMax } from '../events/activity.ts';
import type { RefMove } from '../git/git.ts';
import { noObject } from '../git/names.ts';
import type { Ports } from '../ports.ts';
import { applyFollowing, planFollowing } from '../pulls/follow-refs.ts';
import { type MergeRecord, recordMerge } from '../pulls/pull-change-store.ts';
import { markPushed } from '../repositories/repository-store.ts';
import { repositoryLane } from '../repositories/repository.ts';
import { notifyPull } from '../notifications/notify-store.ts';
import { announcePull } from '../webhooks/announce-pull.ts';
import { announce, hasListeners } from '../webhooks/outbox-store.ts';
import { deleteIntent } from './intent-store.ts';

export interface Settlement {
  readonly intentId: number;
  readonly repositoryId: number;
  /** The refs that really moved. */
  readonly moves: readonly RefMove[];
  readonly now: number;
  readonly merge?: MergeRecord | undefined;
  /** Who moved them, where that is known. */
  readonly actorId?: number | undefined;
}

/** Refs have moved and are durable: brings the rows to where the refs are and forgets the intent. */
export async function settleRefs(ports: Ports, settlement: Settlement): Promise<void> {
  const { intentId, repositoryId, moves, now, merge } = settlement;
  const actorId = settlement.actorId ?? merge?.byId ?? null;
  const plan = await planFollowing(ports, repositoryId, moves);
  await ports.database.write(
    async (sql) => {
      const listened = await hasListeners(sql, repositoryId);
      // Where nobody listens only the list of events is told, and that holds no more.
      for (const move of listened ? moves : moves.slice(-activitiesMax)) {
        await announceMove(sql, repositoryId, move, actorId, now);
      }
      if (merge && (await recordMerge(sql, merge))) {
        const pull = { id: merge.pullId, repositoryId };
        await announcePull(sql, pull, merge.byId, { action: 'closed' }, now);
        await notifyPull(sql, pull, merge.byId, now);
      }
      await applyFollowing(sql, plan, actorId, now);
      if (moves.length > 0) await markPushed(sql, repositoryId, now);
      await deleteIntent(sql, intentId);
    },
    { lane: repositoryLane(repositoryId) },
  );
  plan.startTests(ports);
}

/** Branches and tags only: pulls' own refs are the server's business. */
async function announceMove(
  sql: Sql,
  repositoryId: number,
  move: RefMove,
  actorId: number | null,
  now: number,
): Promise<void> {
  const { ref, old: before, new: after } = move;
  if (!/^refs\/(heads|tags)\//.test(ref) || before === after) return;
  const moved = { ref, before, after, actorId };
  await announce(sql, repositoryId, { event: 'push', ...moved }, now);
  if (before === noObject) await announce(sql, repositoryId, { event: 'create', ...moved }, now);
  if (after === noObject) await announce(sql, repositoryId, { event: 'delete', ...moved }, now);
}
