import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { organizationsOf } from '../accounts/membership-store.ts';
import { membershipViewerId, loadVisibleOrganization } from '../accounts/organization-access.ts';
import { page as pageResult, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';
import { loadIssueRelationsIn } from '../issues/describe-issues.ts';
import { readIssueFilter } from '../issues/issue-filter.ts';
import { representIssueSummary } from '../issues/issue-json.ts';
import { issuesById } from '../issues/issue-store.ts';
import type { Json } from '../json/json-values.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Ports } from '../ports/ports.ts';
import { permissionsIn } from '../repositories/repository-access.ts';
import { representRepositoryFor } from '../repositories/repository-json.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { findIssues, parseIssueSearch } from './find-issues.ts';
import type { FoundIssue } from './issue-search-store.ts';
import { SearchQueryError } from './search-query.ts';
import { searcherOf } from './searcher.ts';

const listQuery = Type.Object({
  filter: Type.Optional(
    stringEnum(['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all'] as const),
  ),
});

const formats = ['raw', 'text', 'html', 'full'] as const;

/** A caller has no more organizations than this in a list of issues. */
const listed = { offset: 0, size: 100 };

/** Issues and pulls of several repositories, found as searches find them. */
export const issueListRoutes: readonly Endpoint[] = [
  userEndpoint({
    operation: 'issues/list',
    method: 'GET',
    path: '/issues',
    docs: 'issues#list-issues-assigned-to-the-authenticated-user',
    formats,
    handle: (request, ports) => listResponse(request, [], ports),
  }),

  /** Of the caller's own repositories and those of its organizations. */
  userEndpoint({
    operation: 'issues/list-for-authenticated-user',
    method: 'GET',
    path: '/user/issues',
    docs: 'issues#list-user-account-issues-assigned-to-the-authenticated-user',
    formats,
    async handle(request, ports) {
      const { id, login } = request.caller.account;
      const viewerId = membershipViewerId(request.caller);
      const { organizations } = await ports.database.read((sql) =>
        organizationsOf(sql, id, viewerId, listed),
      );
      const owners = [login, ...organizations.map((organization) => organization.login)];
      return listResponse(request, owners, ports);
    },
  }),

  userEndpoint({
    operation: 'issues/list-for-org',
    method: 'GET',
    path: '/orgs/:org/issues',
    docs: 'issues#list-organization-issues-assigned-to-the-authenticated-user',
    formats,
    async handle(request, ports) {
      const { organization } = await ports.database.read((sql) =>
        loadVisibleOrganization(sql, request.caller, request.path.org),
      );
      return listResponse(request, [organization.login], ports);
    },
  }),
];

/** As qualifiers of a search: mentions are not searched, as there, and subscribed are those that the caller takes part in. */
const relations = {
  assigned: 'assignee',
  created: 'author',
  mentioned: 'mentions',
  subscribed: 'involves',
} as const;

async function listResponse(
  request: Pick<RequestContext<UserCaller>, 'caller' | 'query' | 'page' | 'media' | 'urls'>,
  owners: readonly string[],
  { database }: Pick<Ports, 'database'>,
): Promise<EndpointResult> {
  const { query, page } = request;
  const asked = readQuery(listQuery, query, { resource: 'Issue', refuse: ['filter'] });
  const { filter = 'assigned' } = asked;
  const { state, labels, updatedSince, sort, direction } = readIssueFilter(query);
  const words = [
    ...(filter === 'repos' || filter === 'all' ? [] : [`${relations[filter]}:@me`]),
    ...(state === 'all' ? [] : [`state:${state}`]),
    ...owners.map((owner) => `user:${owner}`),
    ...labels.map((label) => `label:"${label.replaceAll('"', '')}"`),
    ...(updatedSince === undefined ? [] : [`updated:>=${new Date(updatedSince).toISOString()}`]),
  ];
  const found = await search(words.join(' '), { sort, order: direction }, request, database);
  const shown = found.slice(page.offset, page.offset + page.size);
  const body = await database.read((sql) => represent(sql, shown, request));
  return pageResult(body, found.length);
}

async function search(
  text: string,
  order: { readonly sort: string; readonly order: string },
  { caller }: { readonly caller: UserCaller },
  database: Ports['database'],
): Promise<readonly FoundIssue[]> {
  try {
    const searched = parseIssueSearch(text, order);
    return (await findIssues(database, searched, searcherOf(caller))).issues;
  } catch (error) {
    // A login or a label that no search can name has no issues.
    if (error instanceof SearchQueryError) return [];
    throw error;
  }
}

/** With their repositories, as lists over several have them. */
async function represent(
  sql: Sql,
  found: readonly FoundIssue[],
  { caller, media, urls }: Pick<RequestContext, 'caller' | 'media' | 'urls'>,
): Promise<Json[]> {
  const ids = new Set(found.map(({ repositoryId }) => repositoryId));
  const repositories = await repositoriesById(sql, ids);
  const permissions = await permissionsIn(sql, caller, ids);
  const issues = await issuesById(
    sql,
    found.map(({ id }) => id),
  );
  const relationsIn = await loadIssueRelationsIn(sql, [...issues.values()]);
  const represented = new Map<number, Json>();
  for (const [id, repository] of repositories) {
    const permission = permissions.get(id) ?? 'none';
    // They were found before, and may be hidden by now.
    if (!atLeast(permission, 'read')) continue;
    const own = [...issues.values()].filter(({ repositoryId }) => repositoryId === id);
    const embedded = relationsIn(repository);
    const shown = representRepositoryFor(repository, permission, urls);
    for (const issue of own) {
      const summary = representIssueSummary(issue, embedded, media.format, urls);
      represented.set(issue.id, { ...summary, repository: shown });
    }
  }
  return found.flatMap(({ id }) => represented.get(id) ?? []);
}
