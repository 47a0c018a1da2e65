import Type from 'typebox';

import { mayRead } from '../repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { choice, readQuery } from '../../http/schemas.ts';
import { answerList } from '../answer-list.ts';
import { viewerOf } from '../repository-filter.ts';

const query = Type.Object({
  sort: Type.Optional(choice(['newest', 'oldest', 'stargazers', 'watchers'])),
});

export const listForks = repositoryEndpoint({
  operation: 'repos/list-forks',
  method: 'GET',
  path: '/repos/:owner/:repo/forks',
  docs: 'repos#list-forks',
  need: mayRead,
  async handle(request, { repository }, ports) {
    const { sort } = readQuery(query, request.query, { resource: 'Repository' });
    const filter = {
      viewer: viewerOf(request.caller),
      parentId: repository.id,
      sort: 'created' as const,
      direction: sort === 'oldest' ? ('asc' as const) : ('desc' as const),
    };
    return answerList(request, filter, ports);
  },
});
