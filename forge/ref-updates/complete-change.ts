import type { Sql } from '#platform/database/database.ts';

import { requestSuites } from '../checks/request-suites.ts';
import { activitiesMax } from '../events/activity.ts';
import type { Commit } from '../git/git.ts';
import { unlinkBranches } from '../issues/linked-branch-store.ts';
import { branchOf, branchRef, noObject, type RefName } from '../git/names.ts';
import { adoptFirstBranch, moveHeadWithRename } from './default-branch.ts';
import { closeByCommits, closingCommits, type ChangeActor, originsOf } from './close-referenced.ts';
import type { Ports } from '../ports/ports.ts';
import { applyEffect, closeAsMerged } from './pull-effects.ts';
import type { MergeRecord } from '../pulls/merge-store.ts';
import { updateBases } from '../pulls/pull-change-store.ts';
import { moveHeadRefs, pullsPlanner } from './plan-effects.ts';
import { scheduleMergeabilityCheck } from '../pulls/mergeability.ts';
import { markPushed } from '../repositories/repository-store.ts';
import { measureSize } from '../repositories/after-push.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { emitEvent, hasWebhooks } from '../events/event-outbox-store.ts';
import { newCommitsForWebhooks } from './new-commits.ts';
import { renameInRows } from './rename-branch-store.ts';
import {
  type BranchRename,
  removeMovesFromOtherIntents,
  deleteIntent,
  intentActorOf,
} from './intent-store.ts';
import { refsVersionsAround } from './refs-version-store.ts';
import { writeWithRefs } from './write-with-refs.ts';
import type { NewCommits } from '../model/domain-event.ts';
import type { RefMove } from '../git/ref-update.ts';

/**
 * Branches and tags of a push that Apps get events and check suites of. Pushes of more cause none: each is a row for each App,
 * and all of them are written in the transaction of the push.
 */
const refsForAppsMax = 50;

export interface ChangeToComplete {
  readonly intentId: number;
  readonly repositoryId: number;
  /** The moves that git made. */
  readonly moves: readonly RefMove[];
  /** After a crash: all refs of the intent, also those that did not move by it. The rows follow their present values. */
  readonly refs?: readonly RefName[];
  readonly now: number;
  readonly merge?: MergeRecord | undefined;
  readonly rename?: BranchRename | undefined;
  /** Who moved them, where that is known. */
  readonly actorId?: number | undefined;
}

/** A change with what its events are to say. */
interface RecordedChange extends ChangeToComplete {
  /** The moves of branches and tags; other refs, such as those of pulls and notes, cause no events. */
  readonly branchAndTagMoves: readonly RefMove[];
  readonly newCommits: ReadonlyMap<RefName, NewCommits>;
  /** New commits of the default branch that close issues. */
  readonly closing: readonly Commit[];
}

class CompletedByAnother extends Error {}

/**
 * The refs have moved and are durable: writes the rows that depend on them and deletes the intent. Events describe the
 * moves; pulls follow the current tips of the branches, which may be newer.
 */
export async function completeChange(ports: Ports, change: ChangeToComplete): Promise<void> {
  const { repositoryId, moves, refs = [], rename } = change;
  if (!rename) await adoptFirstBranch(ports, repositoryId, moves);
  const branchAndTagMoves = moves.filter(({ ref }) => /^refs\/(heads|tags)\//.test(ref));
  const newCommits = await newCommitsForWebhooks(ports, repositoryId, branchAndTagMoves);
  const closing = await closingCommits(ports, repositoryId, branchAndTagMoves);
  try {
    const followed = new Set([...refs, ...moves.map((move) => move.ref)]);
    await syncPulls(ports, repositoryId, [...followed], {
      ...change,
      branchAndTagMoves,
      newCommits,
      closing,
    });
  } catch (error) {
    // Another process completed the intent, so everything is written.
    if (!(error instanceof CompletedByAnother)) throw error;
  }
  // Where a pull was opened on the new name meanwhile, the duplicate under the old name is closed.
  if (rename) await syncPulls(ports, repositoryId, [branchRef(rename.from)]);
  if (moves.length > 0) measureSize(ports, repositoryId);
}

/** Updates the rows of pulls to match these refs, and completes the change that moved them, if there is one, in the same transaction. */
export async function syncPulls(
  ports: Ports,
  repositoryId: number,
  refs: readonly RefName[],
  change?: RecordedChange,
): Promise<void> {
  const now = change?.now ?? ports.clock.now();
  const origins = originsOf(ports);
  const headMoved = await writeWithRefs(ports, {
    repositoryId,
    versions: (sql) => refsVersionsAround(sql, repositoryId),
    plan: pullsPlanner(ports, repositoryId, refs),
    async moveInternalRefs(plan) {
      if (change?.rename) await moveHeadWithRename(ports, repositoryId, change.rename);
      return moveHeadRefs(ports, plan);
    },
    async write(sql, plan) {
      const actorId = await actorOf(sql, repositoryId, refs, change);
      const actor = { actorId, now, origins };
      if (change) await writeChange(sql, change, actor);
      if (change) await notifyPushListener(ports, sql, change);
      for (const effect of plan.effects) await applyEffect(sql, effect, actor);
      // After the merges: a merged pull keeps the base that it was merged into.
      for (const base of plan.bases) await updateBases(sql, base);
      if (change?.rename) await renameInRows(sql, repositoryId, change.rename);
      return plan.effects.flatMap(({ kind, pull }) => (kind === 'head-moved' ? [pull.id] : []));
    },
  });
  for (const pullId of headMoved) scheduleMergeabilityCheck(ports, pullId);
}

/** Who moved the refs. If the change that moved them is not complete yet, its intent names the actor. */
async function actorOf(
  sql: Sql,
  repositoryId: number,
  refs: readonly RefName[],
  change: ChangeToComplete | undefined,
): Promise<number | null> {
  if (change) return change.actorId ?? change.merge?.byId ?? null;
  return (await intentActorOf(sql, repositoryId, refs)) ?? null;
}

async function writeChange(
  sql: RepositoryWrite,
  change: RecordedChange,
  actor: ChangeActor,
): Promise<void> {
  const { actorId } = actor;
  const { repositoryId, moves, branchAndTagMoves, newCommits, closing, merge, now } = change;
  if (!(await deleteIntent(sql, change.intentId))) throw new CompletedByAnother();
  await removeMovesFromOtherIntents(sql, repositoryId, moves);
  const isReported = await hasWebhooks(sql, repositoryId);
  // Without webhooks the event goes only to the list of events, which holds no more entries than this.
  const reported = isReported ? branchAndTagMoves : branchAndTagMoves.slice(-activitiesMax);
  // The event for a head branch deleted by a merge comes after the event of the merge.
  const [first, last] = merge
    ? [
        reported.filter((move) => move.new === merge.commit),
        reported.filter((move) => move.new !== merge.commit),
      ]
    : [reported, []];
  const notifyApps = branchAndTagMoves.length <= refsForAppsMax;
  const emit = (move: RefMove): Promise<void> =>
    emitMoveEvents(
      sql,
      repositoryId,
      { ...move, newCommits: newCommits.get(move.ref) },
      { actorId, now, notifyApps },
    );
  for (const move of first) {
    await emit(move);
  }
  if (merge) await closeAsMerged(sql, merge, actor);
  for (const move of last) {
    await emit(move);
  }
  if (notifyApps) await requestSuites(sql, repositoryId, pushedBranches(moves), actor);
  await closeByCommits(sql, repositoryId, closing, actor);
  if (!change.rename) await unlinkBranches(sql, repositoryId, deletedBranches(moves));
  if (moves.length > 0) await markPushed(sql, repositoryId, now);
}

function deletedBranches(moves: readonly RefMove[]): string[] {
  return moves.flatMap(({ ref, new: sha }) => (sha === noObject ? (branchOf(ref) ?? []) : []));
}

function pushedBranches(moves: readonly RefMove[]): Parameters<typeof requestSuites>[2] {
  return moves.flatMap(({ ref, old, new: sha }) => {
    const branch = branchOf(ref);
    if (branch === undefined || sha === noObject || sha === old) return [];
    return [{ branch, before: old === noObject ? null : old, sha }];
  });
}

async function notifyPushListener(
  { pushListener }: Pick<Ports, 'pushListener'>,
  sql: Sql,
  { repositoryId, branchAndTagMoves }: RecordedChange,
): Promise<void> {
  const pushed = pushedBranches(branchAndTagMoves);
  if (!pushListener || pushed.length === 0) return;
  await pushListener.pushed(sql, repositoryId, new Set(pushed.map(({ branch }) => branch)));
}

async function emitMoveEvents(
  sql: Sql,
  repositoryId: number,
  move: RefMove & { readonly newCommits: NewCommits | undefined },
  {
    actorId,
    now,
    notifyApps,
  }: {
    readonly actorId: number | null;
    readonly now: number;
    readonly notifyApps: boolean;
  },
): Promise<void> {
  const { ref, old: before, new: after, newCommits } = move;
  if (before === after) return;
  const moved = { ref, before, after, actorId };
  await emitEvent(sql, repositoryId, { event: 'push', ...moved, newCommits }, now, notifyApps);
  if (before === noObject)
    await emitEvent(sql, repositoryId, { event: 'create', ...moved }, now, notifyApps);
  if (after === noObject)
    await emitEvent(sql, repositoryId, { event: 'delete', ...moved }, now, notifyApps);
}
