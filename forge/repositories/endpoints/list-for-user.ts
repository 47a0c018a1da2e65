import Type from 'typebox';

import { findAccount } from '../../accounts/account-store.ts';
import { openEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { choice, readQuery } from '../../http/schemas.ts';
import { answerList } from '../answer-list.ts';
import { type Affiliation, affiliations, readOrder } from '../repository-filter.ts';

const query = Type.Object({ type: Type.Optional(choice(['all', 'owner', 'member'])) });

/** The public ones, whoever asks. */
export const listRepositoriesOfUser = openEndpoint({
  operation: 'repos/list-for-user',
  method: 'GET',
  path: '/users/:username/repos',
  docs: 'repos#list-repositories-for-a-user',
  async handle(request, ports) {
    const account = await ports.database.read((sql) => findAccount(sql, request.path.username));
    if (!account) return notFound();
    const { type = 'owner' } = readQuery(query, request.query, { resource: 'Repository' });
    const filter = {
      viewer: { accountId: 0, seesPrivate: false },
      tiedTo: { accountId: account.id, by: ties[type] },
      ...readOrder(request.query, 'full_name'),
    };
    return answerList(request, filter, ports);
  },
});

const ties: Readonly<Record<'all' | 'owner' | 'member', ReadonlySet<Affiliation>>> = {
  all: new Set(affiliations),
  owner: new Set(['owner']),
  member: new Set(['collaborator', 'organization_member']),
};
