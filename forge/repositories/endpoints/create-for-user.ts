import { userEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { createRepository } from '../create-repository.ts';
import { describeRepository } from '../describe-repository.ts';
import { fullName } from '../../model/repository.ts';
import { readCreateRepositoryInput, createRepositoryBody } from '../create-repository-input.ts';

export const createForUser = userEndpoint({
  operation: 'repos/create-for-authenticated-user',
  method: 'POST',
  path: '/user/repos',
  docs: 'repos#create-a-repository-for-the-authenticated-user',
  acceptedScopes: 'public_repo, repo',
  scopes: ['public_repo', 'repo'],
  body: createRepositoryBody,
  async handle(request, ports) {
    const { caller, urls } = request;
    const repository = await createRepository(
      ports,
      readCreateRepositoryInput(request, caller.account),
    );
    const body = await ports.database.read((sql) =>
      describeRepository(sql, repository, 'admin', caller, urls),
    );
    return created(body, urls.repository(fullName(repository)));
  },
});
