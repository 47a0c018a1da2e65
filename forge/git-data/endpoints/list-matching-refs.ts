import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { pageOfRefs } from '../page-of-refs.ts';

/** All refs whose names begin so, be it in the middle of a word. */
export const listMatchingRefs = repositoryEndpoint({
  operation: 'git/list-matching-refs',
  method: 'GET',
  path: '/repos/:owner/:repo/git/matching-refs/*',
  docs: 'git#list-matching-references',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, page, urls }, { repository }, { git }) {
    const refs = await git.repository(repository.id).listRefs(`refs/${path['*']}`);
    return pageOfRefs(refs, page, repository, urls);
  },
});
