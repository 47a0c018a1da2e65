import type { Database, Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { GitError } from '../git/git-error.ts';
import { repositoriesById } from './repository-store.ts';
import type { Repository } from '../model/repository.ts';

/** The current state of the repository, or 404 if it has been deleted since it was last read. */
export async function readyRepository(sql: Sql, id: number): Promise<Repository> {
  const repository = (await repositoriesById(sql, [id])).get(id);
  return repository?.state === 'ready' ? repository : notFound();
}

/** Runs work on the files of a repository. If they are missing because it was deleted meanwhile, the response is 404, not 500. */
export async function withFilesOf<T>(
  database: Database,
  repositoryId: number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GitError && error.kind === 'missing-repository') {
      await database.read((sql) => readyRepository(sql, repositoryId));
    }
    throw error;
  }
}
