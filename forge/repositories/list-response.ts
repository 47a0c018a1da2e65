import type { Sql } from '#platform/database/database.ts';

import { page, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Caller } from '../model/caller.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { permissionsIn } from './repository-access.ts';
import type { RepositoryFilter } from './repository-filter.ts';
import { representRepositoryFor } from './repository-json.ts';
import { listRepositories } from './repository-list-store.ts';

/** Responds with the requested page of repositories. */
export async function listResponse(
  request: Pick<RequestContext, 'caller' | 'page' | 'urls'>,
  filter: RepositoryFilter,
  { database }: Pick<Ports, 'database'>,
): Promise<EndpointResult> {
  const { caller, urls } = request;
  return database.read(async (sql) => {
    const { repositories, total } = await listRepositories(sql, filter, request.page);
    return page(await representPage(sql, caller, repositories, urls), total);
  });
}

/** The repositories of a page with the caller's permissions, read in one statement. */
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
