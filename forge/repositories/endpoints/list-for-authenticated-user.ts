import Type from 'typebox';

import { userEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { choice, readQuery } from '../../http/schemas.ts';
import { answerList } from '../answer-list.ts';
import {
  type Affiliation,
  affiliations,
  readOrder,
  type RepositoryFilter,
  viewerOf,
} from '../repository-filter.ts';

const query = Type.Object({
  type: Type.Optional(choice(['all', 'owner', 'public', 'private', 'member'])),
  visibility: Type.Optional(choice(['all', 'public', 'private'])),
  affiliation: Type.Optional(Type.String()),
});

export const listRepositoriesOfAuthenticatedUser = userEndpoint({
  operation: 'repos/list-for-authenticated-user',
  method: 'GET',
  path: '/user/repos',
  docs: 'repos#list-repositories-for-the-authenticated-user',
  async handle(request, ports) {
    const { caller } = request;
    const rules = { resource: 'Repository', refuse: ['type', 'visibility'] };
    const asked = readQuery(query, request.query, rules);
    if (asked.type && (asked.visibility || asked.affiliation !== undefined)) {
      refuse({
        kind: 'unprocessable',
        message: 'If you specify visibility or affiliation, you cannot specify type.',
      });
    }
    const visibility = asked.visibility ?? asked.type;
    const filter: RepositoryFilter = {
      viewer: viewerOf(caller),
      tiedTo: {
        accountId: caller.account.id,
        by: asked.type ? typeTies(asked.type) : readTies(asked.affiliation),
      },
      ...(visibility === 'public' || visibility === 'private' ? { visibility } : {}),
      ...readMoments(request.query),
      ...readOrder(request.query, 'full_name'),
    };
    return answerList(request, filter, ports);
  },
});

function typeTies(type: string): ReadonlySet<Affiliation> {
  if (type === 'owner') return new Set(['owner']);
  return new Set(type === 'member' ? ['collaborator', 'organization_member'] : affiliations);
}

/** A list of words with commas; none that is known means all of them. */
function readTies(text: string | undefined): ReadonlySet<Affiliation> {
  const words = new Set((text ?? '').split(',').map((word) => word.trim()));
  const known = affiliations.filter((affiliation) => words.has(affiliation));
  return new Set(known.length > 0 ? known : affiliations);
}

function readMoments(
  parameters: URLSearchParams,
): Pick<RepositoryFilter, 'updatedAfter' | 'updatedBefore'> {
  const since = Date.parse(parameters.get('since') ?? '');
  const before = Date.parse(parameters.get('before') ?? '');
  return {
    ...(Number.isNaN(since) ? {} : { updatedAfter: since }),
    ...(Number.isNaN(before) ? {} : { updatedBefore: before }),
  };
}
