import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { findPull } from '../pull-store.ts';

export const checkMerged = repositoryEndpoint({
  operation: 'pulls/check-if-merged',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/merge',
  docs: 'pulls#check-if-a-pull-request-has-been-merged',
  need: mayRead,
  async handle({ path }, { repository }, { database }) {
    const pull = await database.read((sql) => findPull(sql, repository.id, path.pull_number));
    return pull?.merge ? noContent() : notFound();
  },
});
