import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { repositoriesById } from './repository-store.ts';
import type { Repository } from '../model/repository.ts';

/** The repository as it is now, or 404 when it has gone since it was last looked at. */
export async function readyRepository(sql: Sql, id: number): Promise<Repository> {
  const repository = (await repositoriesById(sql, [id])).get(id);
  return repository?.state === 'ready' ? repository : notFound();
}
