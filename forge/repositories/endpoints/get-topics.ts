import { mayRead } from '../repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';

export const getTopics = repositoryEndpoint({
  operation: 'repos/get-all-topics',
  method: 'GET',
  path: '/repos/:owner/:repo/topics',
  docs: 'repos#get-all-repository-topics',
  need: mayRead,
  cacheable: true,
  handle: async (_request, { repository }) => ok({ names: repository.topics }),
});
