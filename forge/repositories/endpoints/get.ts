import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { ok } from '../../conventions/reply.ts';
import { relativesOf } from '../repository-list-store.ts';
import { representFullRepository } from '../repository-representation.ts';

export const getRepository = repositoryEndpoint({
  operation: 'repos/get',
  method: 'GET',
  path: '/repos/:owner/:repo',
  docs: 'repos#get-a-repository',
  acceptedScopes: 'repo',
  need: mayRead,
  kept: true,
  async handle({ urls }, { repository, permission }, { database }) {
    const relatives = await database.read((sql) => relativesOf(sql, repository));
    return ok(representFullRepository(repository, permission, relatives, urls), {
      lastModified: repository.updatedAt,
    });
  },
});
