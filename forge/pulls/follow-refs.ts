import type { Sql } from '#platform/database.ts';

import type { GitRepository, RefMove } from '../git/git.ts';
import { noObject, type ObjectId, pullHeadRef } from '../git/names.ts';
import type { Ports } from '../ports.ts';
import type { PullHappening } from '../webhooks/happening.ts';
import { notifyPull } from '../notifications/notify-store.ts';
import { announcePull } from '../webhooks/announce-pull.ts';
import { mergedBetween } from './merged-between.ts';
import { measurePull } from './measure.ts';
import { scheduleTest } from './test-merge.ts';
import { closePull, moveBase, moveHead, recordMerge } from './pull-change-store.ts';
import { pullsOnBranches } from './pull-store.ts';
import type { Pull, PullSize } from './pull.ts';

/** What happens to open pulls because branches moved, found out from git before any row is touched. */
export interface FollowPlan {
  readonly heads: readonly { pull: Pull; sha: ObjectId; size: PullSize }[];
  readonly bases: readonly { repositoryId: number; ref: string; sha: ObjectId }[];
  readonly merged: readonly { pull: Pull; commit: ObjectId }[];
  readonly closed: readonly Pull[];
  /** Starts the test merges of pulls whose head is new; those of a moved base wait until somebody looks. */
  startTests(ports: Ports): void;
}

interface Draft {
  heads: { pull: Pull; sha: ObjectId; size: PullSize }[];
  bases: { repositoryId: number; ref: string; sha: ObjectId }[];
  merged: { pull: Pull; commit: ObjectId }[];
  closed: Pull[];
}

/**
 * A push moves the heads of open pulls, ends pulls whose head has become part of their base as merged, and closes pulls
 * that lost a branch. The head is made fetchable in the base repository before the row speaks of it.
 */
export async function planFollowing(
  ports: Ports,
  repositoryId: number,
  moves: readonly RefMove[],
): Promise<FollowPlan> {
  const branches = new Map<string, RefMove>();
  for (const move of moves) {
    if (move.ref.startsWith('refs/heads/'))
      branches.set(move.ref.slice('refs/heads/'.length), move);
  }
  const pulls = await ports.database.read((sql) =>
    pullsOnBranches(sql, repositoryId, [...branches.keys()]),
  );
  const draft: Draft = { heads: [], bases: [], merged: [], closed: [] };
  for (const [ref, move] of branches) {
    const into = pulls.filter(
      (pull) => pull.repositoryId === repositoryId && pull.base.ref === ref,
    );
    await followBase(ports, repositoryId, ref, move, into, draft);
  }
  for (const [ref, move] of branches) {
    const from = pulls.filter(
      (pull) => pull.head.repositoryId === repositoryId && pull.head.ref === ref,
    );
    for (const pull of from) await followHead(ports, pull, move, draft);
  }
  return {
    ...draft,
    startTests: (tools) => {
      for (const { pull } of draft.heads) scheduleTest(tools, pull.id);
    },
  };
}

/** `actorId` is who moved the refs, as far as that is known. */
export async function applyFollowing(
  sql: Sql,
  plan: FollowPlan,
  actorId: number | null,
  now: number,
): Promise<void> {
  const tell = (
    pull: Pull,
    happened: Pick<PullHappening, 'action' | 'before' | 'after'>,
  ): Promise<void> => announcePull(sql, pull, actorId, happened, now);
  for (const { pull, sha, size } of plan.heads) {
    await moveHead(sql, pull, sha, size, now);
    await tell(pull, { action: 'synchronize', before: pull.head.sha, after: sha });
  }
  for (const { pull, commit } of plan.merged) {
    const { id, repositoryId, head } = pull;
    const merged = await recordMerge(sql, {
      pullId: id,
      repositoryId,
      byId: null,
      at: now,
      commit,
      headSha: plan.heads.find((moved) => moved.pull.id === id)?.sha ?? head.sha,
    });
    if (!merged) continue;
    await tell(pull, { action: 'closed' });
    await notifyPull(sql, pull, actorId, now);
  }
  // After the merged ones: their base stays the one they were merged into.
  for (const { repositoryId, ref, sha } of plan.bases) await moveBase(sql, repositoryId, ref, sha);
  for (const pull of plan.closed) {
    if (await closePull(sql, pull, null, now)) await tell(pull, { action: 'closed' });
  }
}

async function followBase(
  ports: Ports,
  repositoryId: number,
  ref: string,
  move: RefMove,
  pulls: readonly Pull[],
  draft: Draft,
): Promise<void> {
  if (pulls.length === 0) return;
  if (move.new === noObject) {
    draft.closed.push(...pulls);
    return;
  }
  draft.bases.push({ repositoryId, ref, sha: move.new });
  const heads = pulls.map((pull) => pull.head.sha);
  const merged = await mergedBetween(ports.git.repository(repositoryId), move, heads);
  for (const pull of pulls) {
    const commit = merged.get(pull.head.sha);
    if (commit) draft.merged.push({ pull, commit });
  }
}

async function followHead(ports: Ports, pull: Pull, move: RefMove, draft: Draft): Promise<void> {
  if (move.new === noObject) {
    if (!draft.merged.some((merged) => merged.pull.id === pull.id)) draft.closed.push(pull);
    return;
  }
  const base = ports.git.repository(pull.repositoryId);
  if (pull.head.repositoryId !== null && pull.head.repositoryId !== pull.repositoryId) {
    await base.fetchObjects(pull.head.repositoryId, [move.new]);
  }
  const baseSha =
    draft.bases.find(
      (moved) => moved.repositoryId === pull.repositoryId && moved.ref === pull.base.ref,
    )?.sha ?? pull.base.sha;
  await setHeadRef(base, pull, move.new);
  const size = await measurePull(base, baseSha, move.new);
  draft.heads.push({ pull, sha: move.new, size });
  if (size.commits > 0) return;
  // Nothing is left to merge. If the base moved in the same push it took the head in; else the head was taken back.
  if (baseSha === pull.base.sha) draft.closed.push(pull);
  else draft.merged.push({ pull, commit: baseSha });
}

async function setHeadRef(base: GitRepository, pull: Pull, sha: ObjectId): Promise<void> {
  await base.updateRefs([{ ref: pullHeadRef(pull.number), old: undefined, new: sha }]);
}
