import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { fullName } from '../../repositories/repository.ts';
import { representLabel } from '../label-representation.ts';
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
