import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { namedCommit } from '../named-commit.ts';

/** Checks are made by applications that run inside the host; there are none, and clients ask nevertheless. */
export const listCheckRuns = repositoryEndpoint({
  operation: 'checks/list-for-ref',
  method: 'GET',
  path: '/repos/:owner/:repo/commits/:ref/check-runs',
  docs: 'checks#list-check-runs-for-a-git-reference',
  need: mayRead,
  cacheable: true,
  async handle({ path }, { repository }, { git }) {
    await namedCommit(git.repository(repository.id), repository, path.ref);
    return ok({ total_count: 0, check_runs: [] });
  },
});
