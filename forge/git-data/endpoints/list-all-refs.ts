import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { pageOfRefs } from '../page-of-refs.ts';

/** matching-refs without a name to match: all refs, those of pulls included. */
export const listAllRefs = repositoryEndpoint({
  operation: 'git/list-matching-refs',
  method: 'GET',
  path: '/repos/:owner/:repo/git/matching-refs',
  docs: 'git#list-matching-references',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ page, urls }, { repository }, { git }) {
    const refs = await git.repository(repository.id).listRefs('refs/');
    return pageOfRefs(refs, page, repository, urls);
  },
});
