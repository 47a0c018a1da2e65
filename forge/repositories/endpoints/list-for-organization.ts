import Type from 'typebox';

import { callerAccountId } from '../../model/caller.ts';
import { findAccount } from '../../accounts/account-store.ts';
import { openEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { choice, readQuery } from '../../http/schemas.ts';
import { answerList } from '../answer-list.ts';
import { readOrder, type RepositoryFilter, viewerOf } from '../repository-filter.ts';

const query = Type.Object({
  type: Type.Optional(choice(['all', 'public', 'private', 'forks', 'sources', 'member'])),
});

export const listRepositoriesOfOrganization = openEndpoint({
  operation: 'repos/list-for-org',
  method: 'GET',
  path: '/orgs/:org/repos',
  docs: 'repos#list-organization-repositories',
  acceptedScopes: 'admin:org, public_repo, read:org, repo, user, write:org',
  async handle(request, ports) {
    const { caller } = request;
    const account = await ports.database.read((sql) => findAccount(sql, request.path.org));
    if (account?.kind !== 'organization') return notFound();
    const { type } = readQuery(query, request.query, { resource: 'Repository' });
    const filter: RepositoryFilter = {
      viewer: viewerOf(caller),
      ownerId: account.id,
      ...(type === 'public' || type === 'private' ? { visibility: type } : {}),
      ...(type === 'forks' || type === 'sources' ? { kind: type } : {}),
      ...(type === 'member'
        ? { tiedTo: { accountId: callerAccountId(caller), by: new Set(['collaborator'] as const) } }
        : {}),
      ...readOrder(request.query, 'created'),
    };
    return answerList(request, filter, ports);
  },
});
