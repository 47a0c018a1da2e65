import { openEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { listPublicSince } from '../repository-list-store.ts';
import { representMinimalRepository } from '../repository-json.ts';

/** Pages of this list begin after a repository, not at a number: it may grow while it is read. */
export const listPublicRepositories = openEndpoint({
  operation: 'repos/list-public',
  method: 'GET',
  path: '/repositories',
  docs: 'repos#list-public-repositories',
  pageSizeDefault: 100,
  async handle({ query, page: { size }, urls }, { database }) {
    const since = Number(/^\d{1,15}/.exec(query.get('since') ?? '')?.[0] ?? 0);
    const found = await database.read((sql) => listPublicSince(sql, since, size + 1));
    const shown = found.slice(0, size);
    return page(
      shown.map((repository) => representMinimalRepository(repository, urls)),
      { nextSince: found.length > size ? shown.at(-1)?.id : undefined },
    );
  },
});
