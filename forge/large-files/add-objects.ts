import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import { countObjects, insertObjects, type LfsObject } from './lfs-object-store.ts';

/** Objects of Git LFS of a repository. */
const objectsMax = 100_000;

/** How many of the objects a repository can take. */
export async function remainingObjects(sql: Sql, repositoryId: number): Promise<number> {
  return Math.max(0, objectsMax - (await countObjects(sql, repositoryId)));
}

/** Adds objects that a client has sent, or refuses. How many of them the repository did not have. */
export async function addObjects(
  sql: Sql,
  repositoryId: number,
  objects: readonly LfsObject[],
  now: number,
): Promise<number> {
  if (objects.length > (await remainingObjects(sql, repositoryId))) {
    const message = `A repository has at most ${objectsMax} objects of Git LFS.`;
    return refuse({ kind: 'unprocessable', message });
  }
  return insertObjects(sql, repositoryId, objects, now);
}
