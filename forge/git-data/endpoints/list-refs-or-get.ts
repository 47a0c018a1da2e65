import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { findRef } from '../find-ref.ts';
import { pageOfRefs } from '../page-of-refs.ts';
import { representRef } from '../ref-json.ts';

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
