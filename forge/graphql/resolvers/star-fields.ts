import type { KeysetBounds, RowKey } from '#platform/database/keyset-store.ts';

import {
  type AccountList,
  accountSlice,
  countAccounts,
} from '../../accounts/account-list-store.ts';
import { followedBy, followersOf } from '../../follows/follow-store.ts';
import { timestamp } from '../../json/json-values.ts';
import { stargazersOf } from '../../stars/star-store.ts';
import { subscribersOf } from '../../subscriptions/subscription-store.ts';
import {
  type Arguments,
  optionalBoolean,
  optionalObject,
  optionalText,
} from '../engine/arguments.ts';
import { connect, type Connection, type ItemSlice } from '../engine/connection.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import { repositoryConnection, watchedRepositories } from './repository-connections.ts';
import { accountSource, type AccountSource, type RepositorySource } from './sources.ts';

/** Stars of a repository, and who watches it. */
export const starFields: Fields<RepositorySource> = {
  stargazerCount: ({ repository }) => repository.stargazers,
  viewerHasStarred: ({ repository }, _values, { loaders }) => loaders.starred(repository.id),
  stargazers: ({ repository }, values, context) => {
    const descending = directionOf(values) === 'DESC';
    const list = { ...stargazersOf(repository.id), descending };
    return accountConnection('stargazers', list, values, context);
  },
  watchers: ({ repository }, values, context) =>
    accountConnection('watchers', subscribersOf(repository.id), values, context),
  viewerSubscription: async ({ repository }, _values, { loaders }) => {
    const own = await loaders.subscription(repository.id);
    if (!own) return 'UNSUBSCRIBED';
    return own.ignored ? 'IGNORED' : 'SUBSCRIBED';
  },
};

/** Followers of a user, and the repositories that it has starred and watches, as far as the viewer may read them. */
export const followFields: Fields<AccountSource> = {
  followers: ({ account }, values, context) =>
    accountConnection('followers', followersOf(account.id), values, context),
  following: ({ account }, values, context) =>
    accountConnection('following', followedBy(account.id), values, context),
  viewerCanFollow: ({ account }, _values, { request }) => account.id !== request.caller.account.id,
  viewerIsFollowing: ({ account }, _values, { loaders }) => loaders.followed(account.id),
  starredRepositories: ({ account }, values, context) => {
    const own = optionalBoolean(values, 'ownedByViewer') === true;
    const of = {
      starredBy: account.id,
      sort: 'starred',
      ...(own ? { ownerId: context.request.caller.account.id } : {}),
    } as const;
    return repositoryConnection('starredRepositories', of, values, context);
  },
  watching: watchedRepositories,
};

interface StarEdge {
  readonly key: RowKey;
}

/** The key of a star in its list is its time. */
const starredAt: Fields<StarEdge> = { starredAt: ({ key }) => timestamp(Number(key.by)) };

export const starResolvers: Resolvers = {
  StargazerEdge: starredAt,
  StarredRepositoryEdge: starredAt,
  StarredRepositoryConnection: { isOverLimit: always(false) },
};

function directionOf(values: Arguments): string | undefined {
  return optionalText(optionalObject(values, 'orderBy') ?? {}, 'direction');
}

function accountConnection(
  name: string,
  list: AccountList,
  values: Arguments,
  { ports: { database } }: GraphqlContext,
): Connection<AccountSource> {
  const load = async (bounds: KeysetBounds): Promise<ItemSlice<AccountSource>> => {
    const { rows, more } = await database.read((sql) => accountSlice(sql, list, bounds));
    return { items: rows.map(({ account, key }) => ({ node: accountSource(account), key })), more };
  };
  const total = (): Promise<number> => database.read((sql) => countAccounts(sql, list));
  return connect(name, values, { load, total, keys: 'number' });
}
