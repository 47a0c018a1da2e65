import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { findRef } from '../find-ref.ts';
import { representRef } from '../ref-json.ts';

export const getRef = repositoryEndpoint({
  operation: 'git/get-ref',
  method: 'GET',
  path: '/repos/:owner/:repo/git/ref/*',
  docs: 'git#get-a-reference',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, { git }) {
    const ref = (await findRef(git.repository(repository.id), path['*'])) ?? notFound();
    return ok(representRef(ref, repository, urls));
  },
});
