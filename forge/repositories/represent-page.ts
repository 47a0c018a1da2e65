import type { Sql } from '#platform/database/database.ts';

import type { Caller } from '../model/caller.ts';
import { permissionsIn } from './repository-access.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { representRepositoryFor } from './repository-json.ts';
import type { Repository } from '../model/repository.ts';

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
