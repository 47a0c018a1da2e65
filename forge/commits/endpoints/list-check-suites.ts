import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { namedCommit } from '../named-commit.ts';

/** As with check runs: there are no suites because nothing makes them. */
export const listCheckSuites = repositoryEndpoint({
  operation: 'checks/list-suites-for-ref',
  method: 'GET',
  path: '/repos/:owner/:repo/commits/:ref/check-suites',
  docs: 'checks#list-check-suites-for-a-git-reference',
  need: mayRead,
  cacheable: true,
  async handle({ path }, { repository }, { git }) {
    await namedCommit(git.repository(repository.id), repository, path.ref);
    return ok({ total_count: 0, check_suites: [] });
  },
});
