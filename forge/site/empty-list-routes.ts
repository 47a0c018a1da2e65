import { findAccount } from '../accounts/account-store.ts';
import { loadVisibleOrganization } from '../accounts/organization-access.ts';
import { notFound } from '../errors/api-error.ts';
import { ok, page } from '../http/endpoint-result.ts';
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
  ['repos/get-repo-rulesets', '/repos/:owner/:repo/rulesets', 'repos#get-all-repository-rulesets'],
  [
    'repos/get-branch-rules',
    '/repos/:owner/:repo/rules/branches/*',
    'repos#get-rules-for-a-branch',
  ],
];

const ofUsers: readonly Row<`/users/:username/${string}`>[] = [
  ['gists/list-for-user', '/users/:username/gists', 'gists#list-gists-for-a-user'],
];

const ofCaller: readonly Row<string>[] = [
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

  /** Webhooks are those of repositories and Apps. */
  userEndpoint({
    operation: 'orgs/list-webhooks',
    method: 'GET',
    path: '/orgs/:org/hooks',
    docs: 'orgs#list-organization-webhooks',
    async handle({ path, caller }, { database }) {
      const { role } = await database.read((sql) => loadVisibleOrganization(sql, caller, path.org));
      return role === 'admin' ? page([], 0) : notFound();
    },
  }),

  /** Hob has no public memberships (accounts/organization-routes.ts). */
  openEndpoint({
    operation: 'orgs/list-public-members',
    method: 'GET',
    path: '/orgs/:org/public_members',
    docs: 'orgs#list-public-organization-members',
    async handle({ path, caller }, { database }) {
      await database.read((sql) => loadVisibleOrganization(sql, caller, path.org));
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
