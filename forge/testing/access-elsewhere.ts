import type { Scope } from '../model/scopes.ts';
import { type AccessRow, listed } from './access-row.ts';

/** Operations outside of repositories. A token without any of the scopes gets 404, an anonymous caller 401. */
interface AccountRow {
  /** `open`: for everybody, credentials or not. An empty list: any user. */
  readonly scopes: readonly Scope[] | 'open';
  readonly operations: readonly string[];
}

export const accountTable: readonly AccountRow[] = [
  {
    scopes: ['public_repo', 'repo', 'repo:invite'],
    operations: listed(`
      GET /user/repository_invitations
      PATCH /user/repository_invitations/:invitation_id
      DELETE /user/repository_invitations/:invitation_id`),
  },
  {
    scopes: [],
    operations: listed(`
      POST /graphql
      GET /issues /user/issues /orgs/:org/issues /orgs/:org/hooks
      GET /user/followers /user/following /user/following/:username /user/starred /user/subscriptions /gists /gists/starred
      GET /search/code
      GET /users/:username/events/orgs/:org
      GET /user /orgs/:org/members/:username /orgs/:org/memberships/:username
      GET /orgs/:org/teams/:team_slug /orgs/:org/teams/:team_slug/members
      GET /orgs/:org/teams/:team_slug/memberships/:username /orgs/:org/teams/:team_slug/repos
      GET /orgs/:org/teams/:team_slug/repos/:owner/:repo /user/repos
      PUT /orgs/:org/teams/:team_slug/repos/:owner/:repo /user/starred/:owner/:repo
      GET /user/starred/:owner/:repo
      DELETE /user/starred/:owner/:repo
      GET /app /app/hook/config /app/hook/deliveries /app/hook/deliveries/:delivery_id /app/installations /app/installations/:installation_id
      GET /repos/:owner/:repo/installation /users/:username/installation /orgs/:org/installation
      GET /installation/repositories
      POST /app/installations/:installation_id/access_tokens
      POST /app/hook/deliveries/:delivery_id/attempts
      PUT /app/installations/:installation_id/suspended
      PATCH /app/hook/config
      DELETE /app/installations/:installation_id /app/installations/:installation_id/suspended
      DELETE /installation/token`),
  },
  {
    scopes: 'open',
    operations: listed(`
      GET /users/:username /orgs/:org /users/:username/orgs /orgs/:org/members
      GET /users/:username/keys /users/:username/followers /users/:username/following /users/:username/following/:target_user /users/:username/gists
      GET /users/:username/starred /users/:username/subscriptions /orgs/:org/public_members /emojis /feeds /gists/public
      GET /events /networks/:owner/:repo/events /orgs/:org/events /users/:username/events /users/:username/events/public
      GET /users/:username/received_events /users/:username/received_events/public
      GET /licenses /licenses/:license /gitignore/templates /gitignore/templates/:name
      GET /users/:username/repos /orgs/:org/repos /repositories / /rate_limit /meta
      GET /apps/:app_slug
      GET /search/issues /search/repositories /search/users /search/commits /search/labels /search/topics
      POST /applications/:client/token /app-manifests/:code/conversions
      PATCH /applications/:client/token
      DELETE /applications/:client/token /applications/:client/grant`),
  },
  {
    scopes: ['read:org', 'repo', 'user'],
    operations: listed(`
      GET /user/orgs /orgs/:org/teams /user/teams /user/installations`),
  },
  {
    scopes: ['user:email'],
    operations: listed(`
      GET /user/emails /user/public_emails`),
  },
  {
    scopes: ['user:follow'],
    operations: listed(`
      PUT /user/following/:username
      DELETE /user/following/:username`),
  },
  {
    scopes: ['read:public_key'],
    operations: listed(`
      GET /user/keys /user/keys/:key_id`),
  },
  {
    scopes: ['write:public_key'],
    operations: listed(`
      POST /user/keys`),
  },
  {
    scopes: ['admin:public_key'],
    operations: listed(`
      DELETE /user/keys/:key_id`),
  },
  {
    scopes: ['user'],
    operations: listed(`
      PATCH /user /user/email/visibility
      POST /user/emails
      DELETE /user/emails`),
  },
  {
    scopes: ['admin:org'],
    operations: listed(`
      PATCH /orgs/:org`),
  },
  {
    scopes: ['write:org'],
    operations: listed(`
      DELETE /orgs/:org/members/:username /orgs/:org/memberships/:username
      DELETE /orgs/:org/teams/:team_slug /orgs/:org/teams/:team_slug/memberships/:username
      PUT /orgs/:org/memberships/:username /orgs/:org/teams/:team_slug/memberships/:username
      POST /orgs/:org/teams
      PATCH /orgs/:org/teams/:team_slug`),
  },
  {
    scopes: ['write:org', 'repo'],
    operations: listed(`
      DELETE /orgs/:org/teams/:team_slug/repos/:owner/:repo`),
  },
  {
    scopes: ['public_repo', 'repo'],
    operations: listed(`
      POST /user/repos /orgs/:org/repos`),
  },
  {
    scopes: ['notifications', 'repo'],
    operations: listed(`
      GET /notifications /notifications/threads/:thread_id
      GET /notifications/threads/:thread_id/subscription
      PUT /notifications /notifications/threads/:thread_id/subscription
      PATCH /notifications/threads/:thread_id
      DELETE /notifications/threads/:thread_id/subscription`),
  },
  {
    scopes: ['site_admin'],
    operations: listed(`
      POST /admin/users /admin/organizations /admin/users/:username/authorizations
      DELETE /admin/users/:username/authorizations /users/:username/suspended
      PUT /users/:username/suspended`),
  },
];

/** git by HTTP, and pages: who may read, and who may push. */
export const gitTable: readonly AccessRow[] = [
  {
    permission: 'read',
    token: 'where private',
    scopes: ['repo'],
    denied: 404,
    archived: 'open',
    operations: ['GET /info/refs?service=git-upload-pack', 'POST /git-upload-pack'],
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    denied: 403,
    archived: 'refused',
    operations: ['GET /info/refs?service=git-receive-pack', 'POST /git-receive-pack'],
  },
];

export const pagesRow: AccessRow = {
  permission: 'read',
  token: 'where private',
  scopes: ['repo'],
  denied: 404,
  archived: 'open',
  operations: [
    'GET ',
    'GET /tree/main',
    'GET /blob/main/a.txt',
    'GET /raw/main/a.txt',
    'GET /commits/main',
    'GET /commit/main',
    'GET /compare/main...topic',
    'GET /branches',
    'GET /issues',
    'GET /issues/2',
    'GET /pulls',
    'GET /pull/1',
    'GET /pull/1/commits',
    'GET /pull/1/files',
  ],
};
