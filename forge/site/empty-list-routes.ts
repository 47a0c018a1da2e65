import { findAccount } from '../accounts/account-store.ts';
import { seeOrganization } from '../accounts/organization-access.ts';
import { notFound } from '../errors/api-error.ts';
import { ok, page } from '../http/reply.ts';
import { mayRead } from '../repositories/repository-access.ts';
import {
  openEndpoint,
  repositoryEndpoint,
  userEndpoint,
  type Endpoint,
} from '../routing/endpoint.ts';

type Row<Path extends string> = readonly [operation: string, path: Path, docs: string];

/** Lists of what Hob does not have in repositories. Representations name them, so they are there, and empty is the truth. */
const ofRepositories: readonly Row<`/repos/:owner/:repo/${string}`>[] = [
  [
    'activity/list-stargazers-for-repo',
    '/repos/:owner/:repo/stargazers',
    'activity#list-stargazers',
  ],
  ['activity/list-watchers-for-repo', '/repos/:owner/:repo/subscribers', 'activity#list-watchers'],
  [
    'repos/list-commit-comments-for-repo',
    '/repos/:owner/:repo/comments',
    'repos#list-commit-comments-for-a-repository',
  ],
  ['repos/list-deployments', '/repos/:owner/:repo/deployments', 'repos#list-deployments'],
  ['repos/get-repo-rulesets', '/repos/:owner/:repo/rulesets', 'repos#get-all-repository-rulesets'],
  [
    'repos/get-branch-rules',
    '/repos/:owner/:repo/rules/branches/*',
    'repos#get-rules-for-a-branch',
  ],
];

const ofUsers: readonly Row<`/users/:username/${string}`>[] = [
  ['users/list-followers-for-user', '/users/:username/followers', 'users#list-followers-of-a-user'],
  [
    'users/list-following-for-user',
    '/users/:username/following',
    'users#list-the-people-a-user-follows',
  ],
  ['gists/list-for-user', '/users/:username/gists', 'gists#list-gists-for-a-user'],
  [
    'activity/list-repos-starred-by-user',
    '/users/:username/starred',
    'activity#list-repositories-starred-by-a-user',
  ],
  [
    'activity/list-repos-watched-by-user',
    '/users/:username/subscriptions',
    'activity#list-repositories-watched-by-a-user',
  ],
];

const ofCaller: readonly Row<string>[] = [
  [
    'users/list-followers-for-authenticated-user',
    '/user/followers',
    'users#list-followers-of-the-authenticated-user',
  ],
  [
    'users/list-followed-by-authenticated-user',
    '/user/following',
    'users#list-the-people-the-authenticated-user-follows',
  ],
  [
    'activity/list-repos-starred-by-authenticated-user',
    '/user/starred',
    'activity#list-repositories-starred-by-the-authenticated-user',
  ],
  [
    'activity/list-watched-repos-for-authenticated-user',
    '/user/subscriptions',
    'activity#list-repositories-watched-by-the-authenticated-user',
  ],
  ['gists/list', '/gists', 'gists#list-gists-for-the-authenticated-user'],
  ['gists/list-starred', '/gists/starred', 'gists#list-starred-gists'],
];

export const emptyListRoutes: readonly Endpoint[] = [
  ...ofRepositories.map(([operation, path, docs]) =>
    repositoryEndpoint({
      operation,
      method: 'GET',
      path,
      docs,
      acceptedScopes: 'repo',
      policy: mayRead,
      handle: async () => page([], 0),
    }),
  ),
  ...ofUsers.map(([operation, path, docs]) =>
    openEndpoint({
      operation,
      method: 'GET',
      path,
      docs,
      async handle(request, { database }) {
        const account = await database.read((sql) => findAccount(sql, request.path.username));
        return account ? page([], 0) : notFound();
      },
    }),
  ),
  ...ofCaller.map(([operation, path, docs]) =>
    userEndpoint({ operation, method: 'GET', path, docs, handle: async () => page([], 0) }),
  ),

  openEndpoint({
    operation: 'gists/list-public',
    method: 'GET',
    path: '/gists/public',
    docs: 'gists#list-public-gists',
    handle: async () => page([], 0),
  }),

  /** Hob has no public memberships (accounts/organization-routes.ts). */
  openEndpoint({
    operation: 'orgs/list-public-members',
    method: 'GET',
    path: '/orgs/:org/public_members',
    docs: 'orgs#list-public-organization-members',
    async handle({ path, caller }, { database }) {
      await database.read((sql) => seeOrganization(sql, caller, path.org));
      return page([], 0);
    },
  }),

  /** Texts show no emoji by its name. */
  openEndpoint({
    operation: 'emojis/get',
    method: 'GET',
    path: '/emojis',
    docs: 'emojis#get-emojis',
    handle: async () => ok({}),
  }),
];
