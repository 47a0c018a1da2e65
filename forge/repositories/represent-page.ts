import type { Sql } from '#platform/database.ts';

import type { Caller } from '../access/caller.ts';
import { permissionsIn } from '../access/repository-access.ts';
import type { Json } from '../conventions/json-values.ts';
import type { Urls } from '../urls.ts';
import { representRepositoryFor } from './repository-representation.ts';
import type { Repository } from './repository.ts';

/** The repositories of a list, each with what the caller may do in it: one statement, whatever their number. */
export async function representPage(
  sql: Sql,
  caller: Caller,
  repositories: readonly Repository[],
  urls: Urls,
): Promise<Json[]> {
  const permissions = await permissionsIn(
    sql,
    caller,
    repositories.map((repository) => repository.id),
  );
  return repositories.map((repository) =>
    representRepositoryFor(repository, permissions.get(repository.id) ?? 'none', urls),
  );
}
