import Type from 'typebox';

import { findAccount } from '../accounts/account-store.ts';
import { refuse, notFound } from '../errors/api-error.ts';
import { leadingInteger } from '../http/pagination.ts';
import { page } from '../http/endpoint-result.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';
import { callerAccountId } from '../model/caller.ts';
import { userEndpoint, openEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { listResponse } from './list-response.ts';
import {
  type Affiliation,
  affiliations,
  readOrder,
  type RepositoryFilter,
  viewerOf,
} from './repository-filter.ts';
import { representMinimalRepository } from './repository-json.ts';
import { listPublicSince } from './repository-list-store.ts';

const ownQuery = Type.Object({
  type: Type.Optional(stringEnum(['all', 'owner', 'public', 'private', 'member'])),
  visibility: Type.Optional(stringEnum(['all', 'public', 'private'])),
  affiliation: Type.Optional(Type.String()),
});

const userQuery = Type.Object({ type: Type.Optional(stringEnum(['all', 'owner', 'member'])) });

const affiliatedByType: Readonly<Record<'all' | 'owner' | 'member', ReadonlySet<Affiliation>>> = {
  all: new Set(affiliations),
  owner: new Set(['owner']),
  member: new Set(['collaborator', 'organization_member']),
};

const organizationQuery = Type.Object({
  type: Type.Optional(stringEnum(['all', 'public', 'private', 'forks', 'sources', 'member'])),
});

/** Lists of repositories. */
export const repositoryListRoutes: readonly Endpoint[] = [
  userEndpoint({
    operation: 'repos/list-for-authenticated-user',
    method: 'GET',
    path: '/user/repos',
    docs: 'repos#list-repositories-for-the-authenticated-user',
    async handle(request, ports) {
      const { caller } = request;
      const rules = { resource: 'Repository', refuse: ['type', 'visibility'] };
      const requested = readQuery(ownQuery, request.query, rules);
      if (requested.type && (requested.visibility || requested.affiliation !== undefined)) {
        refuse({
          kind: 'unprocessable',
          message: 'If you specify visibility or affiliation, you cannot specify type.',
        });
      }
      const visibility = requested.visibility ?? requested.type;
      const filter: RepositoryFilter = {
        viewer: viewerOf(caller),
        affiliatedWith: {
          accountId: caller.account.id,
          by: requested.type
            ? affiliationsOfType(requested.type)
            : readAffiliations(requested.affiliation),
        },
        ...(visibility === 'public' || visibility === 'private' ? { visibility } : {}),
        ...readTimestamps(request.query),
        ...readOrder(request.query, 'full_name'),
      };
      return listResponse(request, filter, ports);
    },
  }),

  /** Only public repositories, independent of the caller. */
  openEndpoint({
    operation: 'repos/list-for-user',
    method: 'GET',
    path: '/users/:username/repos',
    docs: 'repos#list-repositories-for-a-user',
    async handle(request, ports) {
      const account = await ports.database.read((sql) => findAccount(sql, request.path.username));
      if (!account) return notFound();
      const { type = 'owner' } = readQuery(userQuery, request.query, { resource: 'Repository' });
      const filter = {
        viewer: { accountId: 0, seesPrivate: false },
        affiliatedWith: { accountId: account.id, by: affiliatedByType[type] },
        ...readOrder(request.query, 'full_name'),
      };
      return listResponse(request, filter, ports);
    },
  }),

  openEndpoint({
    operation: 'repos/list-for-org',
    method: 'GET',
    path: '/orgs/:org/repos',
    docs: 'repos#list-organization-repositories',
    acceptedScopes: 'admin:org, public_repo, read:org, repo, user, write:org',
    async handle(request, ports) {
      const { caller } = request;
      const account = await ports.database.read((sql) => findAccount(sql, request.path.org));
      if (account?.kind !== 'organization') return notFound();
      const { type } = readQuery(organizationQuery, request.query, { resource: 'Repository' });
      const filter: RepositoryFilter = {
        viewer: viewerOf(caller),
        ownerId: account.id,
        ...(type === 'public' || type === 'private' ? { visibility: type } : {}),
        ...(type === 'forks' || type === 'sources' ? { kind: type } : {}),
        ...(type === 'member'
          ? {
              affiliatedWith: {
                accountId: callerAccountId(caller),
                by: new Set(['collaborator'] as const),
              },
            }
          : {}),
        ...readOrder(request.query, 'created'),
      };
      return listResponse(request, filter, ports);
    },
  }),

  /** Pages of this list continue after a repository (`since`), because the list may grow while a client reads it. */
  openEndpoint({
    operation: 'repos/list-public',
    method: 'GET',
    path: '/repositories',
    docs: 'repos#list-public-repositories',
    pageSizeDefault: 100,
    async handle({ query, page: { size }, urls }, { database }) {
      const since = leadingInteger(query.get('since')) ?? 0;
      const found = await database.read((sql) => listPublicSince(sql, since, size + 1));
      const shown = found.slice(0, size);
      return page(
        shown.map((repository) => representMinimalRepository(repository, urls)),
        { nextSince: found.length > size ? shown.at(-1)?.id : undefined },
      );
    },
  }),
];

function affiliationsOfType(type: string): ReadonlySet<Affiliation> {
  if (type === 'owner') return new Set(['owner']);
  return new Set(type === 'member' ? ['collaborator', 'organization_member'] : affiliations);
}

/** A comma-separated list; without a known value it means all. */
function readAffiliations(text: string | undefined): ReadonlySet<Affiliation> {
  const names = new Set((text ?? '').split(',').map((word) => word.trim()));
  const known = affiliations.filter((affiliation) => names.has(affiliation));
  return new Set(known.length > 0 ? known : affiliations);
}

function readTimestamps(
  parameters: URLSearchParams,
): Pick<RepositoryFilter, 'updatedAfter' | 'updatedBefore'> {
  const since = Date.parse(parameters.get('since') ?? '');
  const before = Date.parse(parameters.get('before') ?? '');
  return {
    ...(Number.isNaN(since) ? {} : { updatedAfter: since }),
    ...(Number.isNaN(before) ? {} : { updatedBefore: before }),
  };
}
