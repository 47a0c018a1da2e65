import type { KeysetBounds, RowKey } from '#platform/database/keyset-store.ts';

import { issuesById } from '../../issues/issue-store.ts';
import type { Issue } from '../../model/issue.ts';
import {
  accountQualifiers,
  findAccounts,
  type AccountOrder,
} from '../../search/account-search-store.ts';
import { findIssues, parseIssueSearch } from '../../search/find-issues.ts';
import type { FoundIssue } from '../../search/issue-search-store.ts';
import {
  findRepositories,
  type RepositorySearchOrder,
  repositoryQualifiers,
} from '../../search/repository-search-store.ts';
import { readSearchOrder, resultsMax } from '../../search/search-order.ts';
import { parseSearchQuery, SearchQueryError } from '../../search/search-query.ts';
import { searcherOf } from '../../search/searcher.ts';
import { type Arguments, textArgument } from '../engine/arguments.ts';
import { rateOwner } from '../../http/rate-limit.ts';
import { failField } from '../engine/field-error.ts';
import { connect, type Connection, type ItemSlice } from '../engine/connection.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import {
  accountSource,
  type AccountSource,
  type IssueSource,
  type PullSource,
  type RepositorySource,
} from './sources.ts';

type ItemSource = AccountSource | IssueSource | PullSource | RepositorySource;

type Type = 'issues' | 'repositories' | 'users' | 'nothing';

interface SearchConnection extends Connection<ItemSource> {
  readonly type: Type;
}

/** What a search finds: the number of all results, and those between two positions. */
export interface SearchResults<Item = ItemSource> {
  readonly total: number;
  readonly items: (offset: number, size: number) => Promise<(Item | null)[]>;
}

const types: Readonly<Record<string, Type>> = {
  ISSUE: 'issues',
  REPOSITORY: 'repositories',
  USER: 'users',
};

const nothing: SearchResults = { total: 0, items: async () => [] };

const noOrder = { sort: null, order: null };

export const searchRoots: Fields<unknown> = {
  search: (_source, values, context): SearchConnection => {
    const type = types[textArgument(values, 'type')] ?? 'nothing';
    const query = textArgument(values, 'query');
    let found: Promise<SearchResults> | undefined;
    const results = (): Promise<SearchResults> => (found ??= searched(type, query, context));
    return { ...connectFound(values, results), type };
  },
};

function connectFound(
  values: Arguments,
  results: () => Promise<SearchResults>,
): Connection<ItemSource> {
  return connect('search', values, {
    keys: 'number',
    total: async () => (await results()).total,
    load: async (bounds) => sliceOf(await results(), bounds),
  });
}

/** Cursors are positions, as on GitHub: results have no order that outlives a search. */
export async function sliceOf<Item>(
  found: SearchResults<Item>,
  bounds: KeysetBounds,
): Promise<ItemSlice<Item>> {
  const reach = Math.min(found.total, resultsMax);
  const first = bounds.after ? positionOf(bounds.after) + 1 : 0;
  const end = bounds.before ? Math.min(positionOf(bounds.before), reach) : reach;
  const start = bounds.fromEnd ? Math.max(first, end - bounds.size) : first;
  const size = Math.max(0, Math.min(bounds.size, end - start));
  const items = size === 0 ? [] : await found.items(start, size);
  const keyed = items.flatMap((node, index) =>
    node ? [{ node, key: { by: start + index, tie: 0 } }] : [],
  );
  return { items: keyed, more: bounds.fromEnd ? start > first : start + size < end };
}

function positionOf({ by }: RowKey): number {
  return typeof by === 'number' ? Math.max(0, by) : 0;
}

/** As on GitHub, a query of what does not exist or is hidden finds nothing here, where REST refuses it. */
async function searched(
  type: Type,
  query: string,
  context: GraphqlContext,
): Promise<SearchResults> {
  try {
    return await countedSearch(context, () => find(type, query, context));
  } catch (error) {
    if (error instanceof SearchQueryError) return nothing;
    throw error;
  }
}

/** Runs a search, which counts as one of REST. One at a time: aliases could ask for many. */
export function countedSearch<T>(
  { request, inSearchSlot }: GraphqlContext,
  search: () => Promise<T>,
): Promise<T> {
  return inSearchSlot(async () => {
    if (await request.countIn('search')) return search();
    const message = `API rate limit exceeded for ${rateOwner(request.caller, '')}.`;
    return failField('RATE_LIMITED', message);
  });
}

function find(type: Type, query: string, context: GraphqlContext): Promise<SearchResults> {
  switch (type) {
    case 'issues':
      return foundIssues(query, context);
    case 'repositories':
      return foundRepositories(query, context);
    case 'users':
      return foundUsers(query, context);
    case 'nothing':
      return Promise.resolve(nothing);
  }
}

async function foundIssues(query: string, context: GraphqlContext): Promise<SearchResults> {
  const { ports, request } = context;
  const search = parseIssueSearch(query, noOrder);
  const { issues } = await findIssues(ports.database, search, searcherOf(request.caller));
  return {
    total: issues.length,
    items: (offset, size) => issueSources(issues.slice(offset, offset + size), context),
  };
}

export async function issueSources(
  found: readonly FoundIssue[],
  { ports, loaders }: GraphqlContext,
): Promise<(IssueSource | PullSource | null)[]> {
  const ids = found.map(({ id }) => id);
  const issues = await ports.database.readOne((sql) => issuesById(sql, ids));
  return Promise.all(
    found.map(async ({ id, repositoryId }) => {
      const at = await loaders.repository(repositoryId);
      const issue = issues.get(id);
      // Hidden or deleted since it was found.
      if (!at || !issue) return null;
      if (!issue.pull) return issueSource(at, issue);
      const pull = await loaders.pull(id);
      return pull ? { typeName: 'PullRequest', at, pull } : null;
    }),
  );
}

function issueSource(at: RepositorySource, issue: Issue): IssueSource {
  return { typeName: 'Issue', at, issue };
}

async function foundRepositories(query: string, context: GraphqlContext): Promise<SearchResults> {
  const { ports, request, loaders } = context;
  const { criterion, sort } = parseSearchQuery(query, repositoryQualifiers);
  const { by = 'match', descending } = readSearchOrder(['forks', 'updated'], sort, noOrder);
  const order: RepositorySearchOrder = { by, descending };
  const search = { criterion, searcher: searcherOf(request.caller) };
  const read = (offset: number, size: number): ReturnType<typeof findRepositories> =>
    ports.database.read((sql) => findRepositories(sql, search, order, { offset, size }));
  const { total } = await read(0, 1);
  return {
    total,
    items: async (offset, size) => {
      const { repositories } = await read(offset, size);
      return Promise.all(repositories.map(({ id }) => loaders.repository(id)));
    },
  };
}

async function foundUsers(query: string, { ports }: GraphqlContext): Promise<SearchResults> {
  const { criterion, sort } = parseSearchQuery(query, accountQualifiers);
  const { by = 'match', descending } = readSearchOrder(['repositories', 'joined'], sort, noOrder);
  const order: AccountOrder = { by, descending };
  const read = (offset: number, size: number): ReturnType<typeof findAccounts> =>
    ports.database.read((sql) => findAccounts(sql, criterion, order, { offset, size }));
  const { total } = await read(0, 1);
  return {
    total,
    items: async (offset, size) => (await read(offset, size)).accounts.map(accountSource),
  };
}

function countOf(type: Type): (source: SearchConnection) => number | Promise<number> {
  return (source) => (source.type === type ? source.total() : 0);
}

export const searchResolvers: Resolvers = {
  SearchResultItemConnection: {
    issueCount: countOf('issues'),
    repositoryCount: countOf('repositories'),
    userCount: countOf('users'),
    // GraphQL searches none of these here.
    codeCount: always(0),
    discussionCount: always(0),
    wikiCount: always(0),
  },
};
