import type { Sql } from '#platform/database/database.ts';

import { emitPullEvent } from '../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import type { Pull, PullSize } from '../model/pull.ts';
import { markMerged, type MergeRecord } from '../pulls/merge-store.ts';
import { closePull, updateHead } from '../pulls/pull-change-store.ts';
import { type ChangeActor, closeByPull } from './close-referenced.ts';
import { intendedMerge } from './intent-store.ts';

/** The tips of the branches of an open pull, and how git relates them. */
export interface PullWithTips {
  readonly pull: Pull;
  /** The tip of the base branch; `gone` if the branch was deleted. */
  readonly base: ObjectId | 'gone';
  readonly head: ObjectId | 'gone';
  /**
   * Heads that became part of the base branch since the row's base, each with the first-parent commit that merged it.
   */
  readonly mergedHeads: ReadonlyMap<ObjectId, ObjectId>;
  /** The size of the pull with the current head; set if that is not the row's head. */
  readonly size: PullSize | undefined;
}

/** A change of an open pull because the tip of one of its branches differs from its row. */
export type PullEffect =
  | {
      readonly kind: 'head-moved';
      readonly pull: Pull;
      readonly head: ObjectId;
      readonly size: PullSize;
    }
  | {
      readonly kind: 'merged';
      readonly pull: Pull;
      readonly head: ObjectId;
      readonly commit: ObjectId;
    }
  | { readonly kind: 'closed'; readonly pull: Pull };

/**
 * The effects on one pull, in order. If a head became part of the base, the pull is merged. The head in the row comes before
 * a later one, because commits pushed on top of it were not merged.
 */
export function effectsOnPull({ pull, base, head, mergedHeads, size }: PullWithTips): PullEffect[] {
  if (base === 'gone') return [{ kind: 'closed', pull }];
  const mergedBefore = mergedHeads.get(pull.head.sha);
  if (mergedBefore !== undefined) {
    return [{ kind: 'merged', pull, head: pull.head.sha, commit: mergedBefore }];
  }
  if (head === 'gone') return [{ kind: 'closed', pull }];
  if (head === pull.head.sha || size === undefined) return [];
  const moved: PullEffect = { kind: 'head-moved', pull, head, size };
  const mergedNow = mergedHeads.get(head);
  if (mergedNow !== undefined) return [moved, { kind: 'merged', pull, head, commit: mergedNow }];
  // Nothing is left to merge although the base did not move: the head was reset.
  return size.commits === 0 ? [moved, { kind: 'closed', pull }] : [moved];
}

/** Writes the rows of an effect and its events. */
export async function applyEffect(
  sql: RepositoryWrite,
  effect: PullEffect,
  actor: ChangeActor,
): Promise<void> {
  const { actorId, now } = actor;
  const { pull } = effect;
  switch (effect.kind) {
    case 'head-moved': {
      const { head: after, size } = effect;
      if (!(await updateHead(sql, pull, after, size, now))) return;
      const moved = { action: 'synchronize', before: pull.head.sha, after } as const;
      await emitPullEvent(sql, pull, actorId, moved, now);
      return;
    }
    case 'merged':
      await closeAsMerged(sql, await mergeOf(sql, effect, now), actor);
      return;
    case 'closed':
      if (await closePull(sql, pull, null, now)) {
        await emitPullEvent(sql, pull, actorId, { action: 'closed' }, now);
      }
  }
}

/** Writes the rows of a merged pull, its event and the issues that it closes; does nothing if another merge of the pull was first. */
export async function closeAsMerged(
  sql: RepositoryWrite,
  merge: MergeRecord,
  actor: ChangeActor,
): Promise<void> {
  if (!(await markMerged(sql, merge))) return;
  const pull = { id: merge.pullId, repositoryId: merge.repositoryId };
  const actorId = merge.byId ?? actor.actorId;
  await emitPullEvent(sql, pull, actorId, { action: 'closed' }, actor.now);
  await closeByPull(sql, pull.id, { ...actor, actorId });
}

/** The commit that merged the head may be an unrecorded merge of this pull; if so, it is recorded as that merge. */
async function mergeOf(
  sql: Sql,
  { pull, commit, head }: Extract<PullEffect, { kind: 'merged' }>,
  now: number,
): Promise<MergeRecord> {
  const intended = await intendedMerge(sql, pull.id);
  if (intended?.commit === commit) return intended;
  const { id: pullId, repositoryId } = pull;
  return { pullId, repositoryId, byId: null, at: now, commit, headSha: head };
}
