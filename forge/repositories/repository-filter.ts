import Type from 'typebox';

import { type Caller, callerAccountId } from '../model/caller.ts';
import { holdsAny } from '../model/scopes.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';

/** The filter and order of a list of repositories. */
export interface RepositoryFilter {
  readonly viewer: ListViewer;
  readonly ownerId?: number;
  readonly parentId?: number;
  /** Only these. */
  readonly ids?: ReadonlySet<number>;
  /** Only those the account has one of these affiliations with. */
  readonly affiliatedWith?: { readonly accountId: number; readonly by: ReadonlySet<Affiliation> };
  /** Only those that the account has starred, or watches. */
  readonly starredBy?: number;
  readonly watchedBy?: number;
  readonly visibility?: 'public' | 'private';
  readonly kind?: 'forks' | 'sources';
  readonly archived?: boolean;
  /** Milliseconds since the epoch; by the last update. */
  readonly updatedAfter?: number;
  readonly updatedBefore?: number;
  readonly sort: RepositoryOrder;
  readonly direction: 'asc' | 'desc';
}

/** The viewer: private repositories are listed only for accounts that may read them, and tokens with the `repo` scope. */
export interface ListViewer {
  readonly accountId: number;
  readonly seesPrivate: boolean;
}

export const affiliations = ['owner', 'collaborator', 'organization_member'] as const;
export type Affiliation = (typeof affiliations)[number];

/** `starred`: by when `starredBy` starred them. */
export type RepositoryOrder = RepositorySort | 'starred' | 'stargazers';

export type RepositorySort = 'created' | 'updated' | 'pushed' | 'full_name';

const orderSchema = Type.Object({
  sort: Type.Optional(stringEnum(['created', 'updated', 'pushed', 'full_name'])),
  direction: Type.Optional(stringEnum(['asc', 'desc'])),
});

export function viewerOf(caller: Caller): ListViewer {
  return {
    accountId: callerAccountId(caller),
    seesPrivate: caller.kind === 'user' && holdsAny(caller.scopes, ['repo']),
  };
}

/** `sort` and `direction` of a list; by default names ascend and times descend. */
export function readOrder(
  query: URLSearchParams,
  sortDefault: RepositorySort,
): Pick<RepositoryFilter, 'sort' | 'direction'> {
  const requested = readQuery(orderSchema, query, { resource: 'Repository' });
  const sort = requested.sort ?? sortDefault;
  return { sort, direction: requested.direction ?? (sort === 'full_name' ? 'asc' : 'desc') };
}
