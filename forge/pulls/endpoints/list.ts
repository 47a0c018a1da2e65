import { mayRead } from '../../repositories/repository-access.ts';
import { namedBranch } from '../../branches/named-branch.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { readPullFilter } from '../pull-filter.ts';
import { representPullSummary } from '../pull-json.ts';
import { listPulls } from '../pull-store.ts';
import { loadPullRelations } from '../merging/pull-relations.ts';

export const listPullRequests = repositoryEndpoint({
  operation: 'pulls/list',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls',
  docs: 'pulls#list-pull-requests',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  // The clock decides which pulls are still worked on.
  cacheableUnless: (query) => query.get('sort') === 'long-running',
  async handle(request, { repository }, { database, git }) {
    const asked = readPullFilter(request.query, request.now);
    const base =
      asked.base && ((await namedBranch(git.repository(repository.id), asked.base)) ?? asked.base);
    const filter = { ...asked, base };
    return database.read(async (sql) => {
      const { pulls, total } = await listPulls(sql, repository.id, filter, request.page);
      const surroundings = await loadPullRelations(sql, repository, pulls, request.caller);
      return page(
        pulls.map((pull) =>
          representPullSummary(pull, surroundings, request.media.format, request.urls),
        ),
        total,
      );
    });
  },
});
