import Type from 'typebox';

import type { SiteAct } from '#platform/site-act.ts';

import { representAccount } from '../accounts/account-json.ts';
import { createOrganization } from '../accounts/create-organization.ts';
import { createUser } from '../accounts/create-user.ts';
import { getUser } from '../accounts/organization-access.ts';
import { representOrganization } from '../accounts/organization-json.ts';
import { createToken, type CreatedToken } from '../auth/create-token.ts';
import { deleteIssuedTokens } from '../auth/credential-store.ts';
import { sha256 } from '../auth/token.ts';
import { type RateWindow, representRate } from '../http/rate-limit.ts';
import { ok, created, noContent } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { enterpriseVersion } from '../json/vendor.ts';
import type { UserCaller } from '../model/caller.ts';
import { openEndpoint, userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { recordedAct } from './recorded-act.ts';
import { reasonCharactersMax, suspendUser, unsuspendUser } from './suspend-user.ts';

/** What the body says is for the audit log. */
const suspensionBody = Type.Object({
  reason: Type.Optional(nullable(Type.String({ maxLength: reasonCharactersMax }))),
});

/** The server itself, and its administration as on GitHub Enterprise Server. */
export const siteRoutes: readonly Endpoint[] = [
  openEndpoint({
    operation: 'meta/root',
    method: 'GET',
    path: '/',
    docs: 'meta#root-endpoint',
    handle: async ({ urls }) => ok(representRoot(urls)),
  }),

  /** Does not count against the rate limit (docs/specification/forge.md 6.2), and is never cached. */
  openEndpoint({
    operation: 'rate-limit/get',
    method: 'GET',
    path: '/rate_limit',
    docs: 'rate-limit#get-rate-limit-status-for-the-authenticated-user',
    async handle({ caller, rate, rateOf }) {
      const anonymous = caller.kind === 'anonymous';
      const core = representRate(rate);
      const body = {
        resources: {
          core,
          search: representRate(await rateOf('search')),
          graphql:
            caller.kind === 'user'
              ? representRate(await rateOf('graphql'))
              : untouched(0, rate.reset),
          integration_manifest: untouched(anonymous ? 60 : 5000, rate.reset),
          code_search: representRate(await rateOf('code_search')),
        },
        rate: core,
      };
      return ok(body, { cacheControl: 'no-cache' });
    },
  }),

  /** The server verifies passwords itself, and publishes no IP addresses of its own. `test_controls` is not of GitHub. */
  openEndpoint({
    operation: 'meta/get',
    method: 'GET',
    path: '/meta',
    docs: 'meta#get-meta-information',
    handle: async (_call, { settings }) =>
      ok({
        verifiable_password_authentication: true,
        installed_version: enterpriseVersion,
        ...(settings.testControls && { test_controls: true }),
      }),
  }),

  /** Feeds of what everybody may see: URLs with tokens in them are not given out. */
  openEndpoint({
    operation: 'activity/get-feeds',
    method: 'GET',
    path: '/feeds',
    docs: 'activity#get-feeds',
    async handle({ urls }) {
      const type = 'application/atom+xml';
      const timeline = urls.web('/-/timeline.atom');
      const user = urls.web('/{user}.atom');
      return ok({
        timeline_url: timeline,
        user_url: user,
        _links: { timeline: { href: timeline, type }, user: { href: user, type } },
      });
    },
  }),

  /** The user has no password: an administrator creates tokens for it, or sets a password on the command line. */
  userEndpoint({
    operation: 'enterprise-admin/create-user',
    method: 'POST',
    path: '/admin/users',
    docs: 'enterprise-admin#create-a-user',
    acceptedScopes: 'site_admin',
    siteAdmin: true,
    body: Type.Object({ login: Type.String(), email: Type.Optional(Type.String()) }),
    async handle({ body, caller, urls }, ports) {
      const act = actOf(caller, 'user.create', { user: body.login });
      const user = await recordedAct(ports, act, () => createUser(ports, body));
      return created(representAccount(user, urls), urls.user(user.login));
    },
  }),

  userEndpoint({
    operation: 'enterprise-admin/create-org',
    method: 'POST',
    path: '/admin/organizations',
    docs: 'enterprise-admin#create-an-organization',
    acceptedScopes: 'site_admin',
    siteAdmin: true,
    body: Type.Object({
      login: Type.String(),
      admin: Type.String(),
      profile_name: Type.Optional(Type.String()),
    }),
    async handle({ body, caller, urls }, ports) {
      const act = actOf(caller, 'org.create', { org: body.login, admin: body.admin });
      const organization = await recordedAct(ports, act, () =>
        createOrganization(ports, {
          login: body.login,
          ownerLogin: body.admin,
          name: body.profile_name,
        }),
      );
      return created(representOrganization(organization, urls), urls.organization(body.login));
    },
  }),

  /** A site administrator creates a token for a user. */
  userEndpoint({
    operation: 'enterprise-admin/create-impersonation-o-auth-token',
    method: 'POST',
    path: '/admin/users/:username/authorizations',
    docs: 'enterprise-admin#create-an-impersonation-oauth-token',
    acceptedScopes: 'site_admin',
    siteAdmin: true,
    body: Type.Object({
      scopes: Type.Array(Type.String()),
      note: Type.Optional(nullable(Type.String())),
    }),
    async handle({ path, body, caller, urls }, ports) {
      const user = await ports.database.read((sql) => getUser(sql, path.username));
      const scopes = body.scopes.join(' ');
      const act = actOf(caller, 'oauth_access.create', { user: user.login, scopes });
      const token = await recordedAct(ports, act, () =>
        createToken(ports, {
          login: user.login,
          scopes: body.scopes,
          note: body.note ?? undefined,
          issuerId: caller.account.id,
        }),
      );
      return created(representAuthorization(token, urls), urls.api(`/authorizations/${token.id}`));
    },
  }),

  /** Revokes all tokens that site administrators have created for a user. */
  userEndpoint({
    operation: 'enterprise-admin/delete-impersonation-o-auth-token',
    method: 'DELETE',
    path: '/admin/users/:username/authorizations',
    docs: 'enterprise-admin#delete-an-impersonation-oauth-token',
    acceptedScopes: 'site_admin',
    siteAdmin: true,
    async handle({ path, caller }, ports) {
      const act = actOf(caller, 'oauth_access.destroy', { user: path.username });
      await recordedAct(ports, act, () =>
        ports.database.write(async (sql) => {
          const user = await getUser(sql, path.username);
          await deleteIssuedTokens(sql, user.id);
        }),
      );
      return noContent();
    },
  }),

  /** No credential of the user is accepted any more. */
  userEndpoint({
    operation: 'enterprise-admin/suspend-user',
    method: 'PUT',
    path: '/users/:username/suspended',
    docs: 'enterprise-admin#suspend-a-user',
    acceptedScopes: 'site_admin',
    siteAdmin: true,
    body: suspensionBody,
    async handle({ path, body, caller }, ports) {
      const user = await ports.database.read((sql) => getUser(sql, path.username));
      const reason = body.reason ?? `Suspended via API by ${caller.account.login}`;
      const act = actOf(caller, 'user.suspend', { user: user.login, reason });
      await recordedAct(ports, act, () => suspendUser(ports, user.login));
      return noContent();
    },
  }),

  userEndpoint({
    operation: 'enterprise-admin/unsuspend-user',
    method: 'DELETE',
    path: '/users/:username/suspended',
    docs: 'enterprise-admin#unsuspend-a-user',
    acceptedScopes: 'site_admin',
    siteAdmin: true,
    body: suspensionBody,
    async handle({ path, body, caller }, ports) {
      const user = await ports.database.read((sql) => getUser(sql, path.username));
      const reason = body.reason ?? `Unsuspended via API by ${caller.account.login}`;
      const act = actOf(caller, 'user.unsuspend', { user: user.login, reason });
      await recordedAct(ports, act, () => unsuspendUser(ports, user.login));
      return noContent();
    },
  }),
];

function actOf(
  { account }: UserCaller,
  action: string,
  parameters: SiteAct['parameters'],
): Omit<SiteAct, 'errorCode'> {
  return { action, actor: account.login, from: undefined, parameters };
}

/** Clients expect these limits, which no request counts against. */
function untouched(limit: number, reset: RateWindow['reset']): { [field: string]: number } {
  return representRate({ limit, used: 0, reset });
}

/** A new token, in the only response that contains its secret. */
function representAuthorization(token: CreatedToken, urls: Urls): { [field: string]: Json } {
  return {
    id: token.id,
    url: urls.api(`/authorizations/${token.id}`),
    app: { name: 'Site Administrator', url: urls.web('/'), client_id: '0'.repeat(20) },
    token: token.token,
    hashed_token: sha256(token.token),
    token_last_eight: token.token.slice(-8),
    note: token.note,
    note_url: null,
    created_at: timestamp(token.createdAt),
    updated_at: timestamp(token.createdAt),
    scopes: token.scopes,
    fingerprint: null,
  };
}

/** `GET /`: the URLs where clients start. Some are of features that this server does not have. */
function representRoot(urls: Urls): { [field: string]: Json } {
  const paged = 'page,per_page,sort';
  return {
    current_user_url: urls.api('/user'),
    current_user_authorizations_html_url: urls.web(
      '/settings/connections/applications{/client_id}',
    ),
    authorizations_url: urls.api('/authorizations'),
    code_search_url: urls.api(`/search/code?q={query}{&${paged},order}`),
    commit_search_url: urls.api(`/search/commits?q={query}{&${paged},order}`),
    emails_url: urls.api('/user/emails'),
    emojis_url: urls.api('/emojis'),
    events_url: urls.api('/events'),
    feeds_url: urls.api('/feeds'),
    followers_url: urls.api('/user/followers'),
    following_url: urls.api('/user/following{/target}'),
    gists_url: urls.api('/gists{/gist_id}'),
    hub_url: urls.api('/hub'),
    issue_search_url: urls.api(`/search/issues?q={query}{&${paged},order}`),
    issues_url: urls.api('/issues'),
    keys_url: urls.api('/user/keys'),
    label_search_url: urls.api(
      '/search/labels?q={query}&repository_id={repository_id}{&page,per_page}',
    ),
    notifications_url: urls.api('/notifications'),
    organization_url: urls.api('/orgs/{org}'),
    organization_repositories_url: urls.api(`/orgs/{org}/repos{?type,${paged}}`),
    organization_teams_url: urls.api('/orgs/{org}/teams'),
    public_gists_url: urls.api('/gists/public'),
    rate_limit_url: urls.api('/rate_limit'),
    repository_url: urls.api('/repos/{owner}/{repo}'),
    repository_search_url: urls.api(`/search/repositories?q={query}{&${paged},order}`),
    current_user_repositories_url: urls.api(`/user/repos{?type,${paged}}`),
    starred_url: urls.api('/user/starred{/owner}{/repo}'),
    starred_gists_url: urls.api('/gists/starred'),
    topic_search_url: urls.api('/search/topics?q={query}{&page,per_page}'),
    user_url: urls.api('/users/{user}'),
    user_organizations_url: urls.api('/user/orgs'),
    user_repositories_url: urls.api(`/users/{user}/repos{?type,${paged}}`),
    user_search_url: urls.api(`/search/users?q={query}{&${paged},order}`),
  };
}
