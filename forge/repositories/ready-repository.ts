import type { Sql } from '#platform/database.ts';

import { notFound } from '../conventions/refusal.ts';
import { repositoriesById } from './repository-store.ts';
import type { Repository } from './repository.ts';

/** The repository as it is now, or 404 when it has gone since it was last looked at. */
export async function readyRepository(sql: Sql, id: number): Promise<Repository> {
  const repository = (await repositoriesById(sql, [id])).get(id);
  return repository?.state === 'ready' ? repository : notFound();
}
