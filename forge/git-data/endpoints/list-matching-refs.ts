import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { page as replyPage } from '../../conventions/reply.ts';
import { representRef } from '../ref-representation.ts';

export const listMatchingRefs = repositoryEndpoint({
  operation: 'git/list-matching-refs',
  method: 'GET',
  path: '/repos/:owner/:repo/git/matching-refs/*',
  docs: 'git#list-matching-references',
  acceptedScopes: 'repo',
  need: mayRead,
  kept: true,
  async handle({ path, page, urls }, { repository }, { git }) {
    const refs = await git.repository(repository.id).listRefs(`refs/${path['*']}`);
    const shown = refs.slice(page.offset, page.offset + page.size);
    return replyPage(
      shown.map((ref) => representRef(ref, repository, urls)),
      refs.length,
    );
  },
});
