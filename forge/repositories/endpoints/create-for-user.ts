import { userEndpoint } from '../../conventions/endpoint.ts';
import { created } from '../../conventions/reply.ts';
import { createRepository } from '../create-repository.ts';
import { representFullRepository } from '../repository-representation.ts';
import { fullName } from '../repository.ts';
import { readWish, repositoryWishBody } from '../wish.ts';

export const createForUser = userEndpoint({
  operation: 'repos/create-for-authenticated-user',
  method: 'POST',
  path: '/user/repos',
  docs: 'repos#create-a-repository-for-the-authenticated-user',
  acceptedScopes: 'public_repo, repo',
  scopes: ['public_repo', 'repo'],
  body: repositoryWishBody,
  async handle(request, ports) {
    const wish = readWish(request, request.caller.account);
    const repository = await createRepository(ports, wish);
    const relatives = { parent: undefined, source: undefined, networkForks: 0 };
    return created(
      representFullRepository(repository, 'admin', relatives, request.urls),
      request.urls.repository(fullName(repository)),
    );
  },
});
