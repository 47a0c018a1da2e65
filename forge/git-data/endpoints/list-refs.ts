import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { pageOfRefs } from '../page-of-refs.ts';

/** The older address of all refs. */
export const listRefs = repositoryEndpoint({
  operation: 'git/list-refs',
  method: 'GET',
  path: '/repos/:owner/:repo/git/refs',
  docs: 'git#list-matching-references',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ page, urls }, { repository }, { git }) {
    const refs = await git.repository(repository.id).listRefs('refs/');
    return pageOfRefs(refs, page, repository, urls);
  },
});
