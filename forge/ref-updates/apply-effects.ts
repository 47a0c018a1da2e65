import type { Sql } from '#platform/database/database.ts';

import { closeByPull, type ChangeActor } from './close-referenced.ts';
import { intendedMerge } from './intent-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { emitPullEvent } from '../events/event-outbox-store.ts';
import type { PullsPlan } from './plan-effects.ts';
import { closePull } from '../pulls/pull-change-store.ts';
import { type MergeRecord, moveBase, moveHead, recordMerge } from '../pulls/pull-refs-store.ts';
import type { PullEffect } from './pull-effects.ts';

/** Writes the planned changes of pulls and their events. Returns the pulls with a new head, which need a new test merge. */
export async function applyEffects(
  sql: RepositoryWrite,
  plan: PullsPlan,
  actor: ChangeActor,
): Promise<number[]> {
  for (const effect of plan.effects) await applyEffect(sql, effect, actor);
  // After the merges: a merged pull keeps the base that it was merged into.
  for (const { repositoryId, ref, sha } of plan.bases) await moveBase(sql, repositoryId, ref, sha);
  return plan.effects.flatMap((effect) => (effect.kind === 'head-moved' ? [effect.pull.id] : []));
}

async function applyEffect(
  sql: RepositoryWrite,
  effect: PullEffect,
  actor: ChangeActor,
): Promise<void> {
  const { actorId, now } = actor;
  const { pull } = effect;
  switch (effect.kind) {
    case 'head-moved': {
      const { head: after, size } = effect;
      if (!(await moveHead(sql, pull, after, size, now))) return;
      const moved = { action: 'synchronize', before: pull.head.sha, after } as const;
      await emitPullEvent(sql, pull, actorId, moved, now);
      return;
    }
    case 'merged':
      await completeMerge(sql, await mergeOf(sql, effect, now), actor);
      return;
    case 'closed':
      if (await closePull(sql, pull, null, now)) {
        await emitPullEvent(sql, pull, actorId, { action: 'closed' }, now);
      }
  }
}

/** Records a merge, its event and the issues that it closes; does nothing if another merge of the pull was first. */
export async function completeMerge(
  sql: RepositoryWrite,
  merge: MergeRecord,
  actor: ChangeActor,
): Promise<void> {
  if (!(await recordMerge(sql, merge))) return;
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
