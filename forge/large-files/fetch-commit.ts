import type { ObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { remainingObjects } from './add-objects.ts';
import { hasObjects, linkObjectsOf } from './lfs-object-store.ts';

/** Objects of Git LFS, to which commits from another repository point, that are linked in one transaction. */
const linkedMax = 1000;

/**
 * Copies a commit and all it needs from another repository of the network, with the objects of Git LFS to which it points: they stay
 * when the other repository goes away, and its other objects do not come along.
 */
export async function fetchCommit(
  { database, git }: Pick<Ports, 'database' | 'git'>,
  sourceId: number,
  repositoryId: number,
  commit: ObjectId,
): Promise<void> {
  const repository = git.repository(repositoryId);
  await repository.fetchObjects(sourceId, [commit]);
  if (!(await database.read((sql) => hasObjects(sql, sourceId)))) return;
  const remaining = await database.read((sql) => remainingObjects(sql, repositoryId));
  const oids = (await repository.largeFilePointers(commit)).slice(0, remaining);
  for (let from = 0; from < oids.length; from += linkedMax) {
    const part = oids.slice(from, from + linkedMax);
    await database.write((sql) => linkObjectsOf(sql, sourceId, repositoryId, part));
  }
}
