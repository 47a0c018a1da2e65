import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../accounts/account-json.ts';
import { accountPage } from '../accounts/account-list-store.ts';
import { findAccount } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import type { MediaType } from '../http/media-types.ts';
import { noContent, page, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import { stringEnum, readQuery } from '../http/schemas.ts';
import { timestamp } from '../json/json-values.ts';
import type { Caller } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import { representPage } from '../repositories/list-response.ts';
import {
  authorizeRepository,
  mayRead,
  type RepositoryAuthorization,
  type RepositoryPolicy,
} from '../repositories/repository-access.ts';
import { viewerOf } from '../repositories/repository-filter.ts';
import { listRepositories } from '../repositories/repository-list-store.ts';
import {
  openEndpoint,
  repositoryEndpoint,
  userEndpoint,
  type Endpoint,
} from '../routing/endpoint.ts';
import { starRepository, unstarRepository } from './star.ts';
import { stargazersOf, starsOf } from './star-store.ts';

const listQuery = Type.Object({
  sort: Type.Optional(stringEnum(['created', 'updated'])),
  direction: Type.Optional(stringEnum(['asc', 'desc'])),
});

/** Archived repositories can be starred. */
const mayStar: RepositoryPolicy = { ...mayRead, changes: true, evenArchived: true };

/** Stars: https://docs.github.com/rest/activity/starring */
export const starRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'activity/list-stargazers-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/stargazers',
    docs: 'activity#list-stargazers',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ page: bounds, media, urls }, { repository }, { database }) {
      const { entries, total } = await database.read((sql) =>
        accountPage(sql, stargazersOf(repository.id), bounds),
      );
      const withTimes = asksForTimes(media);
      const body = entries.map(({ account, since }) => {
        const user = representAccount(account, urls);
        return withTimes ? { starred_at: timestamp(since), user } : user;
      });
      return page(body, total);
    },
  }),

  userEndpoint({
    operation: 'activity/list-repos-starred-by-authenticated-user',
    method: 'GET',
    path: '/user/starred',
    docs: 'activity#list-repositories-starred-by-the-authenticated-user',
    handle: (request, { database }) => listStarred(request, request.caller.account.id, database),
  }),

  openEndpoint({
    operation: 'activity/list-repos-starred-by-user',
    method: 'GET',
    path: '/users/:username/starred',
    docs: 'activity#list-repositories-starred-by-a-user',
    async handle(request, { database }) {
      const account = await database.read((sql) => findAccount(sql, request.path.username));
      return account ? listStarred(request, account.id, database) : notFound();
    },
  }),

  userEndpoint({
    operation: 'activity/check-repo-is-starred-by-authenticated-user',
    method: 'GET',
    path: '/user/starred/:owner/:repo',
    docs: 'activity#check-if-a-repository-is-starred-by-the-authenticated-user',
    async handle({ path, caller }, { database }) {
      const starred = await database.read(async (sql) => {
        const { repositoryId } = await authorizeNamed(sql, caller, path, mayRead);
        return (await starsOf(sql, caller.account.id, [repositoryId])).size > 0;
      });
      return starred ? noContent() : notFound();
    },
  }),

  userEndpoint({
    operation: 'activity/star-repo-for-authenticated-user',
    method: 'PUT',
    path: '/user/starred/:owner/:repo',
    docs: 'activity#star-a-repository-for-the-authenticated-user',
    acceptedScopes: 'public_repo, repo',
    async handle({ path, caller, now }, ports) {
      const authorize = (sql: Sql) => authorizeNamed(sql, caller, path, mayStar);
      const { repositoryId } = await ports.database.read(authorize);
      await starRepository(ports, { actorId: caller.account.id, repositoryId, now, authorize });
      return noContent();
    },
  }),

  userEndpoint({
    operation: 'activity/unstar-repo-for-authenticated-user',
    method: 'DELETE',
    path: '/user/starred/:owner/:repo',
    docs: 'activity#unstar-a-repository-for-the-authenticated-user',
    acceptedScopes: 'public_repo, repo',
    async handle({ path, caller, now }, ports) {
      const authorize = (sql: Sql) => authorizeNamed(sql, caller, path, mayStar);
      const { repositoryId } = await ports.database.read(authorize);
      await unstarRepository(ports, { actorId: caller.account.id, repositoryId, now, authorize });
      return noContent();
    },
  }),
];

function authorizeNamed(
  sql: Sql,
  caller: Caller,
  { owner, repo }: { readonly owner: string; readonly repo: string },
  policy: RepositoryPolicy,
): Promise<RepositoryAuthorization> {
  return authorizeRepository(sql, caller, { owner, name: repo }, policy);
}

/** The repositories that an account has starred and the caller may read. */
async function listStarred(
  request: Pick<RequestContext, 'caller' | 'page' | 'urls' | 'query' | 'media'>,
  accountId: number,
  database: Ports['database'],
): Promise<EndpointResult> {
  const { caller, urls } = request;
  const asked = readQuery(listQuery, request.query, { resource: 'Repository' });
  const filter = {
    viewer: viewerOf(caller),
    starredBy: accountId,
    sort: asked.sort === 'updated' ? ('pushed' as const) : ('starred' as const),
    direction: asked.direction ?? ('desc' as const),
  };
  return database.read(async (sql) => {
    const { repositories, total } = await listRepositories(sql, filter, request.page);
    const shown = await representPage(sql, caller, repositories, urls);
    if (!asksForTimes(request.media)) return page(shown, total);
    const ids = repositories.map(({ id }) => id);
    const times = await starsOf(sql, accountId, ids);
    const body = shown.map((repo, index) => ({
      starred_at: timestamp(times.get(ids[index] ?? 0) ?? null),
      repo,
    }));
    return page(body, total);
  });
}

/** `application/vnd.github.star+json`: with the time of each star. */
function asksForTimes({ requested }: MediaType): boolean {
  return /^application\/vnd\.[a-z0-9]+(?:\.v3)?\.star\+json$/i.test(requested ?? '');
}
