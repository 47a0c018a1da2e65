import { foreignKeyViolation } from '#platform/database/constraint-violation.ts';
import type { Database, Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { GitError } from '../git/git-error.ts';
import { repositoriesById } from './repository-store.ts';
import type { Repository } from '../model/repository.ts';

/** The current state of the repository, or 404 if it has been deleted since it was last read. */
export async function getRepository(sql: Sql, id: number): Promise<Repository> {
  const repository = (await repositoriesById(sql, [id])).get(id);
  return repository?.state === 'ready' ? repository : notFound();
}

/** Runs work on the files of a repository. If they are missing because it was deleted meanwhile, the response is 404, not 500. */
export function notFoundIfDeleted<T>(
  database: Pick<Database, 'read'>,
  repositoryId: number,
  work: () => Promise<T>,
): Promise<T> {
  return unlessDeleted(database, repositoryId, work, notFound);
}

/** Runs work that uses a repository. If it fails because the repository was deleted meanwhile, the result is `otherwise`. */
export async function unlessDeleted<T, Otherwise>(
  database: Pick<Database, 'read'>,
  repositoryId: number,
  work: () => Promise<T>,
  otherwise: () => Otherwise,
): Promise<T | Otherwise> {
  try {
    return await work();
  } catch (error) {
    // git can fail in many ways while its files disappear, and rows refer to a repository that is gone.
    if (!(error instanceof GitError) && !foreignKeyViolation(error)) throw error;
    if (await database.read((sql) => isReady(sql, repositoryId))) throw error;
    return otherwise();
  }
}

/** Whether the repository exists: it is neither being created nor deleted. */
export async function isReady(sql: Sql, id: number): Promise<boolean> {
  return (await repositoriesById(sql, [id])).get(id)?.state === 'ready';
}
