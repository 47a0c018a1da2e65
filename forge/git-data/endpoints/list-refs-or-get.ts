import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { findRef } from '../find-ref.ts';
import { pageOfRefs } from '../page-of-refs.ts';
import { representRef } from '../ref-representation.ts';

/** The older address of a ref: the one of this name, or else all whose names begin so. */
export const listRefsOrGet = repositoryEndpoint({
  operation: 'git/list-refs-or-get',
  method: 'GET',
  path: '/repos/:owner/:repo/git/refs/*',
  docs: 'git#get-a-reference',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, page, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    const exact = await findRef(git, path['*']);
    if (exact) return ok(representRef(exact, repository, urls));
    const refs = await git.listRefs(`refs/${path['*']}`);
    return refs.length === 0 ? notFound() : pageOfRefs(refs, page, repository, urls);
  },
});
