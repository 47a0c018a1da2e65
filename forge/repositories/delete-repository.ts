import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { writeRepository } from '../events/invalidate.ts';
import { GitError, type GitErrorKind } from '../git/git-error.ts';
import { deleteSomeObjects } from '../large-files/lfs-object-store.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { enqueueDeletionEvent } from './deletion-event-store.ts';
import { closeCrossRepositoryPulls, reparentForks } from './fork-network-store.ts';
import {
  deleteRepositoryRow,
  markAbandoned,
  markDeleting,
  refuseTaken,
  type Unready,
} from './repository-life-store.ts';

type RemovalPorts = Pick<Ports, 'background' | 'database' | 'git' | 'serverId'>;

interface DeletionEvent {
  readonly actorId: number | null;
  readonly now: number;
}

/**
 * Deletes a repository permanently: first it becomes hidden and its name free, then git is removed, then the row, after its webhooks were
 * notified. Its forks get another parent; pulls from it are closed but stay readable. What fails is tried again in the background, since
 * git may be away for a while; the next start removes what a crash leaves (docs/reliability.md, C19).
 */
export async function deleteRepository(
  ports: RemovalPorts,
  repository: Repository,
  deletionEvent: DeletionEvent,
): Promise<void> {
  const { id } = repository;
  const hide = writeRepository(ports.database, id, async (sql) => {
    await reparentForks(sql, repository);
    await closeCrossRepositoryPulls(sql, id, 'from', deletionEvent.now);
    await markDeleting(sql, id, ports.serverId);
  });
  await orRemoveLater(ports, id, hide, deletionEvent);
  await orRemoveLater(ports, id, remove(ports, id, deletionEvent), deletionEvent);
}

/**
 * Removes what there is of a repository whose creation failed with this error, which it throws. Where another server was first, because it
 * takes this one for dead, what git does not find is no fault of it.
 */
export async function abandonRepository(
  ports: RemovalPorts,
  repositoryId: number,
  error: unknown,
): Promise<never> {
  const removing = removeUnready(ports, repositoryId, undefined);
  const found = await orRemoveLater(ports, repositoryId, removing);
  if (found !== 'creating' && error instanceof GitError && ofRemoved.includes(error.kind))
    refuseTaken();
  throw error;
}

/** What git says, or the file system, when a repository is removed from under them. */
const ofRemoved: readonly GitErrorKind[] = ['missing-repository', 'missing-object', 'failed'];

/** Looks, a second apart, for a repository whose creation or deletion lost the answer of the database. */
const pollsMax = 10;

async function orRemoveLater<T>(
  ports: RemovalPorts,
  repositoryId: number,
  work: Promise<T>,
  deletionEvent?: DeletionEvent,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    removeLater(ports, repositoryId, deletionEvent);
    throw error;
  }
}

/**
 * After this error of the transaction that reserves a repository: the answer to the commit may be lost, and not the commit. What a full disk
 * undid is not looked for: SQLite gives the id to the next repository, which would be removed while it is made.
 */
export function removeIfAnswerWasLost(
  ports: RemovalPorts,
  repositoryId: number | undefined,
  error: unknown,
): void {
  if (repositoryId !== undefined && error instanceof DatabaseUnavailableError)
    removeLater(ports, repositoryId);
}

/**
 * Removes an unready repository in the background; one that is ready stays. It may not be there yet: the answer of the database may be lost, and
 * the row appear when its connection has ended already.
 */
function removeLater(
  ports: RemovalPorts,
  repositoryId: number,
  deletionEvent?: DeletionEvent,
): void {
  let polls = 0;
  const look = async (): Promise<void | 'again'> => {
    if (await removeUnready(ports, repositoryId, deletionEvent)) return;
    polls += 1;
    if (polls < pollsMax) return 'again';
  };
  ports.background.run(`removal of repository ${repositoryId}`, look, 'always');
}

/** How it was; undefined: there is no row, or it is ready. */
async function removeUnready(
  ports: RemovalPorts,
  repositoryId: number,
  deletionEvent: DeletionEvent | undefined,
): Promise<Unready | undefined> {
  const found = await writeRepository(ports.database, repositoryId, (sql) =>
    markAbandoned(sql, repositoryId, ports.serverId),
  );
  if (found !== undefined) await remove(ports, repositoryId, deletionEvent);
  return found;
}

async function remove(
  ports: RemovalPorts,
  repositoryId: number,
  deletionEvent: DeletionEvent | undefined,
): Promise<void> {
  await ports.git.remove(repositoryId);
  await removeObjects(ports, repositoryId);
  await writeRepository(ports.database, repositoryId, async (sql) => {
    if (
      deletionEvent &&
      (await enqueueDeletionEvent(sql, repositoryId, deletionEvent.actorId, deletionEvent.now))
    )
      return;
    await deleteRepositoryRow(sql, repositoryId);
  });
}

/**
 * Objects of Git LFS that the deletion of a repository removes in one transaction, so that a deletion of many does not hold up
 * other requests.
 */
const removedMax = 1000;

async function removeObjects(
  { database }: Pick<Ports, 'database'>,
  repositoryId: number,
): Promise<void> {
  const some = (): Promise<number> =>
    database.write((sql) => deleteSomeObjects(sql, repositoryId, removedMax));
  while ((await some()) === removedMax);
}
