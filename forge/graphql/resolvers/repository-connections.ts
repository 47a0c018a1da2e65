import type { KeysetBounds } from '#platform/database/keyset-store.ts';

import { RefusalError } from '../../errors/api-error.ts';
import type { RepositoryLocator } from '../../repositories/repository-access.ts';
import {
  type Affiliation,
  type RepositoryFilter,
  type RepositoryOrder,
  viewerOf,
} from '../../repositories/repository-filter.ts';
import { countMatching, sliceRepositories } from '../../repositories/repository-list-store.ts';
import {
  type Arguments,
  optionalBoolean,
  optionalObject,
  optionalText,
  optionalTexts,
} from '../engine/arguments.ts';
import { connect, type Connection, type ItemSlice } from '../engine/connection.ts';
import { failField } from '../engine/field-error.ts';
import type { GraphqlContext } from './context.ts';
import type { AccountSource, RepositorySource } from './sources.ts';

/** Resolves a repository as `GET /repos/:owner/:repo` would, old names included. */
export async function repositoryOfOwner(
  owner: string,
  name: string,
  context: GraphqlContext,
  { followRenames }: { readonly followRenames: boolean } = { followRenames: true },
): Promise<RepositorySource> {
  const seek = async (locator: RepositoryLocator): Promise<RepositorySource> =>
    context.access(locator, 'repos/get');
  try {
    return await seek({ owner, name });
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    const { refusal } = error;
    if (refusal.kind === 'moved' && followRenames) return seek({ id: refusal.repositoryId });
    if (refusal.kind !== 'not-found' && refusal.kind !== 'moved') throw error;
    const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
    return failField('NOT_FOUND', message);
  }
}

const affiliationNames: Readonly<Record<string, Affiliation>> = {
  OWNER: 'owner',
  COLLABORATOR: 'collaborator',
  ORGANIZATION_MEMBER: 'organization_member',
};

/** `repositories` of a user or an organization: of all that the caller may see, with these affiliations of the owner. */
export function ownedRepositories(
  { account }: AccountSource,
  values: Arguments,
  context: GraphqlContext,
): Connection<RepositorySource> {
  const filter =
    account.kind === 'organization'
      ? { ownerId: account.id }
      : affiliatedWithOwner(account.id, values);
  return repositoryConnection('repositories', filter, values, context);
}

/** `watching` of a user: of all that the viewer may see and the user watches, with these affiliations of the user. */
export function watchedRepositories(
  { account }: AccountSource,
  values: Arguments,
  context: GraphqlContext,
): Connection<RepositorySource> {
  const of = { watchedBy: account.id, ...affiliatedWithOwner(account.id, values) };
  return repositoryConnection('watching', of, values, context);
}

function affiliatedWithOwner(
  accountId: number,
  values: Arguments,
): Pick<RepositoryFilter, 'affiliatedWith'> {
  const asked = optionalTexts(values, 'ownerAffiliations') ?? ['OWNER', 'COLLABORATOR'];
  const by = new Set(asked.flatMap((name) => affiliationNames[name] ?? []));
  return { affiliatedWith: { accountId, by } };
}

/** `forks` of a repository. */
export function forksOf(
  { repository }: RepositorySource,
  values: Arguments,
  context: GraphqlContext,
): Connection<RepositorySource> {
  return repositoryConnection('forks', { parentId: repository.id }, values, context);
}

const sorts: Readonly<Record<string, RepositoryOrder>> = {
  CREATED_AT: 'created',
  NAME: 'full_name',
  PUSHED_AT: 'pushed',
  UPDATED_AT: 'updated',
  STARGAZERS: 'stargazers',
};

export function repositoryConnection(
  name: string,
  of: Partial<RepositoryFilter>,
  values: Arguments,
  { ports, request, loaders }: GraphqlContext,
): Connection<RepositorySource> {
  const order = optionalObject(values, 'orderBy') ?? {};
  const visibility = optionalText(values, 'visibility') ?? optionalText(values, 'privacy');
  const isFork = optionalBoolean(values, 'isFork');
  const archived = optionalBoolean(values, 'isArchived');
  const field = optionalText(order, 'field') ?? 'CREATED_AT';
  const filter: RepositoryFilter = {
    viewer: viewerOf(request.caller),
    ...of,
    ...(visibility === 'PUBLIC' ? { visibility: 'public' } : {}),
    ...(visibility === 'PRIVATE' ? { visibility: 'private' } : {}),
    ...(isFork === undefined ? {} : { kind: isFork ? 'forks' : 'sources' }),
    ...(archived === undefined ? {} : { archived }),
    sort: of.sort ?? sorts[field] ?? 'created',
    direction: optionalText(order, 'direction') === 'DESC' ? 'desc' : 'asc',
  };
  const load = async (bounds: KeysetBounds): Promise<ItemSlice<RepositorySource>> => {
    const slice = await ports.database.read((sql) => sliceRepositories(sql, filter, bounds));
    const seen = await Promise.all(slice.rows.map(({ id }) => loaders.repository(id)));
    const items = slice.rows.flatMap(({ key }, index) => {
      const node = seen[index];
      return node ? [{ node, key }] : [];
    });
    return { items, more: slice.more };
  };
  const total = (): Promise<number> => ports.database.read((sql) => countMatching(sql, filter));
  const keys = filter.sort === 'full_name' ? 'text' : 'number';
  return connect(name, values, { load, total, keys });
}
