import { mayRead } from '../repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeRepository } from '../describe-repository.ts';

export const getRepository = repositoryEndpoint({
  operation: 'repos/get',
  method: 'GET',
  path: '/repos/:owner/:repo',
  docs: 'repos#get-a-repository',
  acceptedScopes: 'repo',
  need: mayRead,
  cacheable: true,
  async handle({ caller, urls }, { repository, permission }, { database }) {
    const body = await database.read((sql) =>
      describeRepository(sql, repository, permission, caller, urls),
    );
    return ok(body, { lastModified: repository.updatedAt });
  },
});
