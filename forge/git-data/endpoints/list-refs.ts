import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { page as replyPage } from '../../conventions/reply.ts';
import { representRef } from '../ref-representation.ts';

/** All refs, those of pulls included. Clients from before matching-refs ask here. */
export const listRefs = repositoryEndpoint({
  operation: 'git/list-refs',
  method: 'GET',
  path: '/repos/:owner/:repo/git/refs',
  docs: 'git#list-matching-references',
  acceptedScopes: 'repo',
  need: mayRead,
  kept: true,
  async handle({ page, urls }, { repository }, { git }) {
    const refs = await git.repository(repository.id).listRefs('refs/');
    const shown = refs.slice(page.offset, page.offset + page.size);
    return replyPage(
      shown.map((ref) => representRef(ref, repository, urls)),
      refs.length,
    );
  },
});
