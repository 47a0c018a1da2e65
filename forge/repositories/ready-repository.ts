import type { Database, Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { GitError } from '../git/git-error.ts';
import { repositoriesById } from './repository-store.ts';
import type { Repository } from '../model/repository.ts';

/** The repository as it is now, or 404 when it has gone since it was last looked at. */
export async function readyRepository(sql: Sql, id: number): Promise<Repository> {
  const repository = (await repositoriesById(sql, [id])).get(id);
  return repository?.state === 'ready' ? repository : notFound();
}

/** Runs what needs the files of a repository. Where they are missing because it was deleted meanwhile, that is 404 and no fault of ours. */
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
