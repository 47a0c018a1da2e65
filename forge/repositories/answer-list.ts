import type { RequestContext } from '../http/request-context.ts';
import { page, type Reply } from '../http/reply.ts';
import type { Ports } from '../ports/ports.ts';
import type { RepositoryFilter } from './repository-filter.ts';
import { listRepositories } from './repository-list-store.ts';
import { representPage } from './represent-page.ts';

/** Answers with the page of repositories that the request asks for. */
export async function answerList(
  request: Pick<RequestContext, 'caller' | 'page' | 'urls'>,
  filter: RepositoryFilter,
  { database }: Pick<Ports, 'database'>,
): Promise<Reply> {
  const { caller, urls } = request;
  return database.read(async (sql) => {
    const { repositories, total } = await listRepositories(sql, filter, request.page);
    return page(await representPage(sql, caller, repositories, urls), total);
  });
}
