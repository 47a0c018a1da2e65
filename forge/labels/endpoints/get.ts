import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { representLabel } from '../label-json.ts';
import { findLabel } from '../label-store.ts';

export const getLabel = repositoryEndpoint({
  operation: 'issues/get-label',
  method: 'GET',
  path: '/repos/:owner/:repo/labels/:name',
  docs: 'issues#get-a-label',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, { database }) {
    const label = await database.read((sql) => findLabel(sql, repository.id, path.name));
    return label ? ok(representLabel(label, fullName(repository), urls)) : notFound();
  },
});
