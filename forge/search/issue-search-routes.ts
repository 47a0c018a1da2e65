import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../accounts/account-json.ts';
import type { Json } from '../json/json-values.ts';
import { timestamp } from '../json/json-values.ts';
import { loadIssueRelationsIn } from '../issues/describe-issues.ts';
import { representIssueSummary } from '../issues/issue-json.ts';
import { issuesById } from '../issues/issue-store.ts';
import { representLabel } from '../labels/label-json.ts';
import { listLabels } from '../labels/label-store.ts';
import { invalid } from '../errors/api-error.ts';
import type { RequestContext } from '../http/request-context.ts';
import { atLeast } from '../model/permission.ts';
import { fullName } from '../model/repository.ts';
import { pullsById } from '../pulls/pull-store.ts';
import { mayRead, permissionsIn } from '../repositories/repository-access.ts';
import { representRepositoryFor } from '../repositories/repository-json.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { authorizeOperation } from '../routing/authorize-operation.ts';
import { type Endpoint, openEndpoint } from '../routing/endpoint.ts';
import { type AccountOrder, accountQualifiers, findAccounts } from './account-search-store.ts';
import { findIssues, parseIssueSearch } from './find-issues.ts';
import type { FoundIssue } from './issue-search-store.ts';
import {
  countTopics,
  findRepositories,
  type RepositorySearchOrder,
  repositoryQualifiers,
} from './repository-search-store.ts';
import { requireReachableScopes } from './search-conditions-store.ts';
import { readSearchOrder } from './search-order.ts';
import { textsOf } from './search-query.ts';
import {
  answerSearch,
  boundsOf,
  orderOf,
  parseSearch,
  queryText,
  searchReply,
} from './search-response.ts';
import { searcherOf } from './searcher.ts';
import { representTextMatches, wantsTextMatches } from './text-matches.ts';

/** A search orders its results by nothing but what it is asked for. */
const score = 1;

/** Repositories whose topics are searched. */
const topicRepositoriesMax = 10_000;

/** Labels of a repository that are searched. */
const labelsMax = 10_000;

/** Searches that the database answers. */
export const issueSearchRoutes: readonly Endpoint[] = [
  openEndpoint({
    operation: 'search/issues-and-pull-requests',
    method: 'GET',
    path: '/search/issues',
    docs: 'search#search-issues-and-pull-requests',
    acceptedScopes: 'repo',
    rateResource: 'search',
    formats: ['raw', 'text', 'html', 'full'],
    handle: (request, { database }) =>
      answerSearch(async () => {
        const search = parseIssueSearch(queryText(request.query), orderOf(request.query));
        const { offset, size } = boundsOf(request.page);
        const { issues, incomplete } = await findIssues(
          database,
          search,
          searcherOf(request.caller),
        );
        const words = wantsTextMatches(request.media) ? textsOf(search.criterion) : undefined;
        const items = await database.read((sql) =>
          representFound(sql, issues.slice(offset, offset + size), words, request),
        );
        const found = { total: issues.length, incomplete };
        return searchReply(items, found, { search_type: 'lexical' });
      }),
  }),

  openEndpoint({
    operation: 'search/repos',
    method: 'GET',
    path: '/search/repositories',
    docs: 'search#search-repositories',
    acceptedScopes: 'repo',
    rateResource: 'search',
    handle: ({ query, page, media, urls, caller }, { database }) =>
      answerSearch(async () => {
        const { criterion, sort, words } = parseSearch(queryText(query), repositoryQualifiers);
        const { by = 'match', descending } = readSearchOrder(
          ['forks', 'stars', 'updated'],
          sort,
          orderOf(query),
        );
        const bounds = boundsOf(page);
        const searcher = searcherOf(caller);
        return database.read(async (sql) => {
          await requireReachableScopes(sql, criterion, searcher);
          const order: RepositorySearchOrder = { by, descending };
          const found = await findRepositories(sql, { criterion, searcher }, order, bounds);
          const ids = found.repositories.map(({ id }) => id);
          const permissions = await permissionsIn(sql, caller, ids);
          const items = found.repositories.map((repository) => {
            const { name, description } = repository;
            const texts = [
              { property: 'name', text: name },
              { property: 'description', text: description },
            ];
            const result = { url: urls.repository(fullName(repository)), type: 'Repository' };
            return {
              ...representRepositoryFor(repository, permissions.get(repository.id) ?? 'none', urls),
              score,
              ...(wantsTextMatches(media)
                ? { text_matches: representTextMatches(words, texts, result) }
                : {}),
            };
          });
          return searchReply(items, found);
        });
      }),
  }),

  openEndpoint({
    operation: 'search/users',
    method: 'GET',
    path: '/search/users',
    docs: 'search#search-users',
    rateResource: 'search',
    handle: ({ query, page, media, urls }, { database }) =>
      answerSearch(async () => {
        const { criterion, sort, words } = parseSearch(queryText(query), accountQualifiers);
        const { by = 'match', descending } = readSearchOrder(
          ['repositories', 'joined'],
          sort,
          orderOf(query),
        );
        const order: AccountOrder = { by, descending };
        const bounds = boundsOf(page);
        const found = await database.read((sql) => findAccounts(sql, criterion, order, bounds));
        const items = found.accounts.map((account) => {
          const texts = [
            { property: 'login', text: account.login },
            { property: 'name', text: account.name },
          ];
          const result = { url: urls.user(account.login), type: 'User' };
          return {
            ...representAccount(account, urls),
            score,
            ...(wantsTextMatches(media)
              ? { text_matches: representTextMatches(words, texts, result) }
              : {}),
          };
        });
        return searchReply(items, found);
      }),
  }),

  /** In one repository, by words of its name and description. */
  openEndpoint({
    operation: 'search/labels',
    method: 'GET',
    path: '/search/labels',
    docs: 'search#search-labels',
    acceptedScopes: 'repo',
    rateResource: 'search',
    handle: ({ query, page, urls, caller }, { database }) =>
      answerSearch(async () => {
        const words = parseSearch(queryText(query), new Set()).words.map((word) =>
          word.toLowerCase(),
        );
        const id = Number(/^[1-9]\d{0,14}$/.exec(query.get('repository_id') ?? '')?.[0]);
        if (Number.isNaN(id)) {
          return invalid({ resource: 'Search', field: 'repository_id', code: 'missing' });
        }
        const bounds = boundsOf(page);
        return database.read(async (sql) => {
          const operation = 'issues/list-labels-for-repo';
          const asked = { operation, policy: mayRead, locator: { id }, parameters: {} };
          const { access } = await authorizeOperation(sql, caller, asked);
          const { labels } = await listLabels(sql, id, { offset: 0, size: labelsMax });
          const found = labels.filter(({ name, description }) => {
            const text = `${name}\n${description ?? ''}`.toLowerCase();
            return words.every((word) => text.includes(word));
          });
          const items = found.slice(bounds.offset, bounds.offset + bounds.size).map((label) => ({
            ...representLabel(label, fullName(access.repository), urls),
            score,
          }));
          return searchReply(items, { total: found.length });
        });
      }),
  }),

  /** Those of repositories that the caller may read. There is no curation of topics. */
  openEndpoint({
    operation: 'search/topics',
    method: 'GET',
    path: '/search/topics',
    docs: 'search#search-topics',
    rateResource: 'search',
    handle: ({ query, page, caller }, { database }) =>
      answerSearch(async () => {
        const { words } = parseSearch(queryText(query), new Set());
        const { offset, size } = boundsOf(page);
        const topics = await database.read((sql) =>
          countTopics(sql, searcherOf(caller), topicRepositoriesMax),
        );
        const found = [...topics]
          .filter(([name]) => words.every((word) => name.includes(word.toLowerCase())))
          .toSorted(
            ([one, { repositories }], [other, more]) =>
              more.repositories - repositories || one.localeCompare(other, 'en'),
          );
        const items = found.slice(offset, offset + size).map(([name, { since, until }]) => ({
          name,
          display_name: null,
          short_description: null,
          description: null,
          created_by: null,
          released: null,
          created_at: timestamp(since),
          updated_at: timestamp(until),
          featured: false,
          curated: false,
          score,
        }));
        return searchReply(items, { total: found.length });
      }),
  }),
];

/** Issues and pulls of any repositories that the caller may read, as their own lists show them. */
async function representFound(
  sql: Sql,
  found: readonly FoundIssue[],
  words: readonly string[] | undefined,
  { caller, media, urls }: RequestContext,
): Promise<Json[]> {
  const repositoryIds = new Set(found.map(({ repositoryId }) => repositoryId));
  const repositories = await repositoriesById(sql, repositoryIds);
  const permissions = await permissionsIn(sql, caller, repositoryIds);
  const issues = await issuesById(
    sql,
    found.map(({ id }) => id),
  );
  const pulls = await pullsById(
    sql,
    [...issues.values()].flatMap(({ id, pull }) => (pull ? [id] : [])),
  );
  const drafts = new Map(pulls.map(({ id, draft }) => [id, draft]));
  const relationsIn = await loadIssueRelationsIn(sql, [...issues.values()]);
  const represented = new Map<number, Json>();
  for (const [id, repository] of repositories) {
    // They were found before, and may be hidden by now.
    if (!atLeast(permissions.get(id) ?? 'none', 'read')) continue;
    const own = [...issues.values()].filter(({ repositoryId }) => repositoryId === id);
    const relations = relationsIn(repository);
    for (const issue of own) {
      const { title, body } = issue;
      const texts = [
        { property: 'title', text: title },
        { property: 'body', text: body },
      ];
      const result = { url: urls.issue(fullName(repository), issue.number), type: 'Issue' };
      const draft = drafts.get(issue.id);
      represented.set(issue.id, {
        ...representIssueSummary(issue, relations, media.format, urls),
        ...(draft === undefined ? {} : { draft }),
        score,
        ...(words ? { text_matches: representTextMatches(words, texts, result) } : {}),
      });
    }
  }
  return found.flatMap(({ id }) => represented.get(id) ?? []);
}
