import { setTimeout as delay } from 'node:timers/promises';

import { readCommitted } from '#platform/database/database.ts';
import { inLineage } from '#platform/invocation-lineage.ts';
import { PendingWork } from '#platform/pending-work.ts';

import type { GitRepository } from '../git/git.ts';
import { branchRef } from '../git/names.ts';
import type { RefMove } from '../git/ref-update.ts';
import type { Ports } from '../ports/ports.ts';
import { invalidateRepository, writeRepository } from '../events/invalidate.ts';
import { completeChange } from './complete-change.ts';
import { pollForUnacknowledged } from './unacknowledged-intents.ts';
import { movesThatHappened } from './happened-moves.ts';
import {
  deleteIntent,
  findIntent,
  openIntents,
  openIntentsOf,
  type RefIntent,
} from './intent-store.ts';
import {
  deleteRepositoryRow,
  takeUnready,
  unreadyRepositories,
} from '../repositories/repository-life-store.ts';
import { enqueueDeletionEvent } from '../repositories/deletion-event-store.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';

/** What a crash interrupted. */
export interface Interrupted {
  /** Changes of refs that were under way. */
  readonly intents: number;
  /** Repositories that were being created or deleted. */
  readonly repositories: readonly number[];
}

/** Whether changes are left of the server that declared them, in a shard. */
export type HasEnded = (serverId: string | null, shardId: number) => boolean;

/**
 * Finds what a crash interrupted, before the first request is served: from now on the networks with open intents wait for
 * `ports.reconciliation`. It reads only the database, so that many intents do not delay the start. Where other servers are at work,
 * `hasEnded` says whose changes are left.
 */
export async function findInterrupted(
  ports: Ports,
  hasEnded: HasEnded = () => true,
): Promise<Interrupted> {
  const { database, reconciliation, serverId } = ports;
  const { intents, unready } = await leftIn(ports, hasEnded);
  const networks = Map.groupBy(intents, (intent) => intent.networkId);
  for (const [id, left] of networks) reconciliation.add(id, () => finishIntents(ports, left));
  // No client got a response for these repositories, so their names are free at once; unless a server that was taken for dead has just created one.
  const repositories: number[] = [];
  await Promise.all(
    unready.map(async ({ id }) => {
      if (await writeRepository(database, id, (sql) => takeUnready(sql, id, serverId)))
        repositories.push(id);
    }),
  );
  return { intents: intents.length, repositories: repositories.toSorted((a, b) => a - b) };
}

/** Whether `findInterrupted` would find anything. It changes nothing. */
export async function areLeft(
  ports: Pick<Ports, 'database'>,
  hasEnded: HasEnded,
): Promise<boolean> {
  const { intents, unready } = await leftIn(ports, hasEnded);
  return intents.length + unready.length > 0;
}

async function leftIn({ database }: Pick<Ports, 'database'>, hasEnded: HasEnded) {
  const { intents, unready } = await database.read(async (sql) => ({
    intents: await openIntents(sql),
    unready: await unreadyRepositories(sql),
  }));
  return {
    intents: intents.filter((intent) => hasEnded(intent.serverId, intent.shardId)),
    unready: unready.filter((repository) => hasEnded(repository.serverId, repository.shardId)),
  };
}

/**
 * Completes in the background everything that a crash interrupted. A failure is reported to `onError` once and retried until
 * it succeeds or the server stops.
 */
export async function finishInterrupted(
  ports: Ports,
  { repositories }: Interrupted,
  stopped: AbortSignal,
  onError: (error: unknown, operation: string) => void,
): Promise<void> {
  const removals = new PendingWork();
  for (const id of repositories) removals.add(id, () => removeAbandoned(ports, id));
  await Promise.all([
    finishAll(ports.reconciliation, 'network', stopped, onError),
    finishAll(removals, 'repository', stopped, onError),
  ]);
}

/** Networks of repositories whose refs and rows are brought into agreement at once after a crash. */
const reconciliationsAtOnce = 4;
/** Pause before what failed of that is tried again. */
const retryMilliseconds = 1000;

async function finishAll(
  work: PendingWork,
  kind: string,
  stopped: AbortSignal,
  onError: (error: unknown, operation: string) => void,
): Promise<void> {
  const failed = new Set<number>();
  const report = (error: unknown, id: number): void => {
    if (!failed.has(id)) onError(error, `${kind} ${id}`);
    failed.add(id);
  };
  for (;;) {
    await work.finish(reconciliationsAtOnce, report, stopped);
    if (work.keys().size === 0 || stopped.aborted) return;
    await delay(retryMilliseconds);
  }
}

/** Completes in the background an intent whose request could not. Does nothing if the intent is already complete. */
export function resumeLater(ports: Ports, intentId: number, repositoryId: number): void {
  ports.background.run(
    `ref intent ${intentId} of repository ${repositoryId}`,
    () => finishIntents(ports, [{ id: intentId }]),
    'always',
  );
}

/** The same for an intent whose commit was not acknowledged, if it becomes visible. */
export function resumeUnacknowledged(ports: Ports, repositoryId: number, key: string): void {
  pollForUnacknowledged(ports, repositoryId, key, (id) => finishIntents(ports, [{ id }]));
}

/**
 * Completes the open intents one after the other. Refs are the source of truth for code: a merge whose ref moved is
 * completed, a merge whose ref did not move is dropped (docs/reliability.md, C1 to C20).
 */
async function finishIntents(
  ports: Ports,
  intents: readonly Pick<RefIntent, 'id'>[],
): Promise<void> {
  for (const { id } of intents) {
    const intent = await ports.database.read((sql) => findIntent(sql, id));
    if (!intent) continue;
    const finish = (): Promise<void> => finishIntent(ports, intent);
    // The intents of a deleted repository go with its row, of which the deletion removes the files first.
    await unlessDeleted(ports.database, intent.repositoryId, finish, () => undefined);
  }
}

async function finishIntent(ports: Ports, intent: RefIntent): Promise<void> {
  const { repositoryId, refs, merge, rename, actorId, lineage } = intent;
  if (intent.opensPull === true) return publishOpened(ports, intent);
  const open = await ports.database.read((sql) => openIntentsOf(sql, repositoryId));
  const git = ports.git.repository(repositoryId);
  const moved = await movesThatHappened(git, refs, open);
  const merged = merge !== undefined && moved.some((move) => move.new === merge.commit);
  const renamed = rename !== undefined && moved.some(({ ref }) => ref === branchRef(rename.to));
  const happened =
    merged || renamed ? [...moved, ...(await finishMoves(git, intent, moved))] : moved;
  await inLineage(lineage, () =>
    completeChange(ports, {
      intentId: intent.id,
      repositoryId,
      // That the old branch is gone is no part of a renaming that did not happen.
      moves: rename && !renamed ? [] : happened,
      refs: refs.map((move) => move.ref),
      now: ports.clock.now(),
      merge: merged ? merge : undefined,
      rename: renamed ? rename : undefined,
      actorId,
    }),
  );
}

/**
 * Creates `refs/pull/N/head` of a pull that was opened with this intent. Where a push to its branch was faster, the ref is there, and newer. No
 * row depends on it.
 */
export async function publishOpened(
  ports: Pick<Ports, 'database' | 'git'>,
  { id, repositoryId, refs }: Pick<RefIntent, 'id' | 'repositoryId' | 'refs'>,
): Promise<void> {
  await ports.git.repository(repositoryId).updateRefs(refs);
  // One statement: a serializable transaction would collide with those that read the intents of the repository.
  await ports.database.write((sql) => deleteIntent(sql, id), readCommitted);
}

/** A merge or a renaming moves all of its refs or none, but a crash can come between two: returns the remaining ones that can still move. */
async function finishMoves(
  git: GitRepository,
  { refs }: RefIntent,
  moved: readonly RefMove[],
): Promise<readonly RefMove[]> {
  const rest = refs.filter((move) => !moved.includes(move));
  if (rest.length === 0) return [];
  return (await git.updateRefs(rest)).kind === 'updated' ? rest : [];
}

async function removeAbandoned(ports: Ports, id: number): Promise<void> {
  await ports.git.remove(id);
  const now = ports.clock.now();
  await ports.database.write(async (sql) => {
    if (await enqueueDeletionEvent(sql, id, null, now)) return;
    await deleteRepositoryRow(await invalidateRepository(sql, id), id);
  });
}
