import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { ok } from '../../conventions/reply.ts';

export const getTopics = repositoryEndpoint({
  operation: 'repos/get-all-topics',
  method: 'GET',
  path: '/repos/:owner/:repo/topics',
  docs: 'repos#get-all-repository-topics',
  need: mayRead,
  cacheable: true,
  handle: async (_request, { repository }) => ok({ names: repository.topics }),
});
