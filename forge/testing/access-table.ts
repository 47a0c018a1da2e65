import type { GrantedPermission, Permission } from '../access/permission.ts';
import { atLeast } from '../access/permission.ts';
import { holdsAny, type Scope, type Scopes } from '../access/scopes.ts';

/** Who may do what in a repository, said a second time and by hand: the declarations of endpoints are held against it. */
export interface AccessRow {
  /** The lowest permission that will do. */
  readonly permission: GrantedPermission;
  /** When a token must have one of the scopes. What changes something, or shows more than the public sees: always. */
  readonly token: 'always' | 'where private';
  /** Any of these; on public repositories `public_repo` will do for `repo`. */
  readonly scopes: readonly Scope[];
  /** Where `public_repo` will not do for `repo` even on public repositories. */
  readonly publicRepo?: 'not enough';
  /** What those are answered who may read but not do this. 403 names the right, 404 says nothing. */
  readonly lacking: 403 | 404;
  readonly archived: 'open' | 'refused';
  /** Method and path below `/repos/:owner/:repo`. */
  readonly operations: readonly string[];
}

export const accessTable: readonly AccessRow[] = [
  {
    permission: 'read',
    token: 'where private',
    scopes: ['repo', 'repo:status'],
    lacking: 404,
    archived: 'open',
    operations: ['GET /commits/:ref/statuses', 'GET /statuses/:ref', 'GET /commits/:ref/status'],
  },
  {
    permission: 'read',
    token: 'where private',
    scopes: ['repo'],
    lacking: 404,
    archived: 'open',
    operations: [
      'GET /pulls',
      'GET /pulls/:pull_number',
      'GET /pulls/:pull_number/commits',
      'GET /pulls/:pull_number/files',
      'GET /pulls/:pull_number/merge',
      'GET /pulls/:pull_number/reviews',
      'GET /pulls/:pull_number/reviews/:review_id',
      'GET /pulls/:pull_number/requested_reviewers',
      'GET /pulls/comments',
      'GET /pulls/comments/:comment_id',
      'GET /pulls/:pull_number/comments',
      'GET /pulls/:pull_number/reviews/:review_id/comments',
      'GET /issues',
      'GET /issues/comments',
      'GET /issues/comments/:comment_id',
      'GET /issues/events',
      'GET /issues/events/:event_id',
      'GET /issues/:issue_number',
      'GET /issues/:issue_number/labels',
      'GET /assignees',
      'GET /assignees/:assignee',
      'GET /issues/:issue_number/comments',
      'GET /issues/:issue_number/events',
      'GET /labels',
      'GET /labels/:name',
      'GET /milestones',
      'GET /milestones/:milestone_number',
      'GET /milestones/:milestone_number/labels',
      'GET /',
      'GET /topics',
      'GET /forks',
      'GET /events',
      'GET /branches',
      'GET /branches/:branch',
      'GET /commits',
      'GET /commits/:ref',
      'GET /compare/:range',
      'GET /commits/:commit_sha/pulls',
      'GET /commits/:commit_sha/branches-where-head',
      'GET /commits/:ref/check-runs',
      'GET /commits/:ref/check-suites',
      'GET /contents',
      'GET /contents/*',
      'GET /readme',
      'GET /git/ref/*',
      'GET /git/refs',
      'GET /git/refs/*',
      'GET /git/matching-refs/*',
      'GET /git/matching-refs',
      'GET /tags',
      'GET /git/blobs/:file_sha',
      'GET /git/trees/:tree_sha',
      'GET /git/commits/:commit_sha',
      'GET /git/tags/:tag_sha',
    ],
  },
  {
    permission: 'read',
    token: 'always',
    scopes: ['repo'],
    lacking: 404,
    archived: 'refused',
    operations: [
      'POST /pulls',
      'PUT /pulls/:pull_number/update-branch',
      'PATCH /pulls/:pull_number',
      'POST /pulls/:pull_number/reviews',
      'PUT /pulls/:pull_number/reviews/:review_id',
      'DELETE /pulls/:pull_number/reviews/:review_id',
      'POST /pulls/:pull_number/reviews/:review_id/events',
      'PATCH /pulls/comments/:comment_id',
      'DELETE /pulls/comments/:comment_id',
      'POST /pulls/:pull_number/comments',
      'POST /pulls/:pull_number/comments/:comment_id/replies',
      'POST /issues',
      'PATCH /issues/comments/:comment_id',
      'DELETE /issues/comments/:comment_id',
      'PATCH /issues/:issue_number',
      'POST /issues/:issue_number/comments',
    ],
  },
  {
    permission: 'read',
    token: 'always',
    scopes: ['repo'],
    lacking: 404,
    archived: 'open',
    operations: ['POST /forks'],
  },
  {
    permission: 'read',
    token: 'always',
    scopes: ['repo', 'notifications'],
    lacking: 404,
    publicRepo: 'not enough',
    archived: 'open',
    operations: ['GET /notifications', 'PUT /notifications'],
  },
  {
    permission: 'triage',
    token: 'always',
    scopes: ['repo'],
    lacking: 404,
    archived: 'refused',
    operations: [
      'POST /pulls/:pull_number/requested_reviewers',
      'DELETE /pulls/:pull_number/requested_reviewers',
      'POST /issues/:issue_number/labels',
      'PUT /issues/:issue_number/labels',
      'DELETE /issues/:issue_number/labels',
      'DELETE /issues/:issue_number/labels/:name',
      'POST /issues/:issue_number/assignees',
      'DELETE /issues/:issue_number/assignees',
    ],
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo', 'repo:status'],
    lacking: 404,
    archived: 'refused',
    operations: ['POST /statuses/:sha'],
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    lacking: 404,
    archived: 'refused',
    operations: [
      'PUT /pulls/:pull_number/merge',
      'PUT /pulls/:pull_number/reviews/:review_id/dismissals',
      'PUT /issues/:issue_number/lock',
      'DELETE /issues/:issue_number/lock',
      'POST /labels',
      'PATCH /labels/:name',
      'DELETE /labels/:name',
      'POST /milestones',
      'PATCH /milestones/:milestone_number',
      'DELETE /milestones/:milestone_number',
      'POST /merges',
      'PUT /contents/*',
      'DELETE /contents/*',
      'POST /git/refs',
      'PATCH /git/refs/*',
      'DELETE /git/refs/*',
      'POST /git/blobs',
      'POST /git/trees',
      'POST /git/commits',
      'POST /git/tags',
    ],
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    lacking: 403,
    archived: 'open',
    operations: ['GET /collaborators', 'GET /collaborators/:username'],
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    lacking: 403,
    archived: 'open',
    operations: ['GET /collaborators/:username/permission'],
  },
  {
    permission: 'admin',
    token: 'where private',
    scopes: ['repo'],
    lacking: 403,
    archived: 'open',
    operations: [
      'GET /teams',
      'GET /branches/:branch/protection',
      'GET /branches/:branch/protection/required_status_checks',
      'GET /branches/:branch/protection/required_status_checks/contexts',
      'GET /branches/:branch/protection/required_pull_request_reviews',
      'GET /branches/:branch/protection/enforce_admins',
      'GET /branches/:branch/protection/restrictions',
      'GET /branches/:branch/protection/restrictions/apps',
      'GET /branches/:branch/protection/restrictions/users',
      'GET /branches/:branch/protection/restrictions/teams',
    ],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'repo:invite'],
    lacking: 403,
    archived: 'open',
    operations: ['GET /invitations'],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'repo:invite'],
    lacking: 403,
    archived: 'refused',
    operations: ['DELETE /invitations/:invitation_id', 'PATCH /invitations/:invitation_id'],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo'],
    lacking: 403,
    archived: 'refused',
    operations: [
      'PUT /collaborators/:username',
      'DELETE /collaborators/:username',
      'POST /transfer',
      'PUT /topics',
      'PUT /branches/:branch/protection',
      'DELETE /branches/:branch/protection',
      'PATCH /branches/:branch/protection/required_status_checks',
      'DELETE /branches/:branch/protection/required_status_checks',
      'POST /branches/:branch/protection/required_status_checks/contexts',
      'PUT /branches/:branch/protection/required_status_checks/contexts',
      'DELETE /branches/:branch/protection/required_status_checks/contexts',
      'PATCH /branches/:branch/protection/required_pull_request_reviews',
      'DELETE /branches/:branch/protection/required_pull_request_reviews',
      'POST /branches/:branch/protection/enforce_admins',
      'DELETE /branches/:branch/protection/enforce_admins',
      'DELETE /branches/:branch/protection/restrictions',
      'POST /branches/:branch/protection/restrictions/users',
      'PUT /branches/:branch/protection/restrictions/users',
      'DELETE /branches/:branch/protection/restrictions/users',
      'POST /branches/:branch/protection/restrictions/teams',
      'PUT /branches/:branch/protection/restrictions/teams',
      'DELETE /branches/:branch/protection/restrictions/teams',
    ],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo'],
    lacking: 403,
    archived: 'open',
    operations: ['PATCH /'],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'delete_repo'],
    lacking: 403,
    archived: 'open',
    operations: ['DELETE /'],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'read:repo_hook'],
    lacking: 404,
    archived: 'open',
    operations: [
      'GET /hooks',
      'GET /hooks/:hook_id',
      'GET /hooks/:hook_id/config',
      'POST /hooks/:hook_id/pings',
      'POST /hooks/:hook_id/tests',
      'GET /hooks/:hook_id/deliveries',
      'GET /hooks/:hook_id/deliveries/:delivery_id',
    ],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'write:repo_hook'],
    lacking: 404,
    archived: 'refused',
    operations: [
      'POST /hooks',
      'PATCH /hooks/:hook_id',
      'PATCH /hooks/:hook_id/config',
      'POST /hooks/:hook_id/deliveries/:delivery_id/attempts',
    ],
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'admin:repo_hook'],
    lacking: 404,
    archived: 'open',
    operations: ['DELETE /hooks/:hook_id'],
  },
];

/** Operations outside of repositories. Whoever lacks all of the scopes gets 404; nobody gets 401. */
interface AccountRow {
  /** `open`: for everybody, credentials or not. An empty list: any user. */
  readonly scopes: readonly Scope[] | 'open';
  readonly operations: readonly string[];
}

export const accountTable: readonly AccountRow[] = [
  {
    scopes: ['public_repo', 'repo', 'repo:invite'],
    operations: [
      'GET /user/repository_invitations',
      'PATCH /user/repository_invitations/:invitation_id',
      'DELETE /user/repository_invitations/:invitation_id',
    ],
  },
  {
    scopes: [],
    operations: [
      'POST /graphql',
      'GET /user',
      'GET /orgs/:org/members/:username',
      'GET /orgs/:org/memberships/:username',
      'GET /orgs/:org/teams/:team_slug',
      'GET /orgs/:org/teams/:team_slug/members',
      'GET /orgs/:org/teams/:team_slug/memberships/:username',
      'GET /orgs/:org/teams/:team_slug/repos',
      'GET /orgs/:org/teams/:team_slug/repos/:owner/:repo',
      'PUT /orgs/:org/teams/:team_slug/repos/:owner/:repo',
      'GET /user/repos',
    ],
  },
  {
    scopes: 'open',
    operations: [
      'GET /users/:username',
      'GET /orgs/:org',
      'GET /users/:username/orgs',
      'GET /orgs/:org/members',
      'GET /users/:username/repos',
      'GET /orgs/:org/repos',
      'GET /repositories',
      'GET /',
      'GET /rate_limit',
      'GET /meta',
      'POST /applications/:client/token',
      'PATCH /applications/:client/token',
      'DELETE /applications/:client/token',
      'DELETE /applications/:client/grant',
    ],
  },
  {
    scopes: ['read:org', 'repo', 'user'],
    operations: ['GET /user/orgs', 'GET /orgs/:org/teams', 'GET /user/teams'],
  },
  {
    scopes: ['write:org'],
    operations: [
      'DELETE /orgs/:org/members/:username',
      'PUT /orgs/:org/memberships/:username',
      'DELETE /orgs/:org/memberships/:username',
      'POST /orgs/:org/teams',
      'PATCH /orgs/:org/teams/:team_slug',
      'DELETE /orgs/:org/teams/:team_slug',
      'PUT /orgs/:org/teams/:team_slug/memberships/:username',
      'DELETE /orgs/:org/teams/:team_slug/memberships/:username',
    ],
  },
  {
    scopes: ['write:org', 'repo'],
    operations: ['DELETE /orgs/:org/teams/:team_slug/repos/:owner/:repo'],
  },
  {
    scopes: ['public_repo', 'repo'],
    operations: ['POST /user/repos', 'POST /orgs/:org/repos'],
  },
  {
    scopes: ['notifications', 'repo'],
    operations: [
      'GET /notifications',
      'PUT /notifications',
      'GET /notifications/threads/:thread_id',
      'PATCH /notifications/threads/:thread_id',
      'GET /notifications/threads/:thread_id/subscription',
      'PUT /notifications/threads/:thread_id/subscription',
      'DELETE /notifications/threads/:thread_id/subscription',
    ],
  },
  {
    scopes: ['site_admin'],
    operations: [
      'POST /admin/users',
      'POST /admin/organizations',
      'POST /admin/users/:username/authorizations',
      'DELETE /admin/users/:username/authorizations',
    ],
  },
];

/** git by HTTP, and pages: who may read, and who may push. */
export const gitTable: readonly AccessRow[] = [
  {
    permission: 'read',
    token: 'where private',
    scopes: ['repo'],
    lacking: 404,
    archived: 'open',
    operations: ['GET /info/refs?service=git-upload-pack', 'POST /git-upload-pack'],
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    lacking: 403,
    archived: 'refused',
    operations: ['GET /info/refs?service=git-receive-pack', 'POST /git-receive-pack'],
  },
];

export const pagesRow: AccessRow = {
  permission: 'read',
  token: 'where private',
  scopes: ['repo'],
  lacking: 404,
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
    'GET /pulls',
    'GET /pull/1',
    'GET /pull/1/commits',
    'GET /pull/1/files',
  ],
};

/** Somebody who asks for something in one repository. */
export type MatrixCaller =
  | { readonly kind: 'bad' }
  | { readonly kind: 'anonymous' | 'application' }
  | { readonly kind: 'user'; readonly permission: Permission; readonly scopes: Scopes };

export interface MatrixRepository {
  readonly private: boolean;
  readonly archived: boolean;
}

/** What the caller is answered: a status of refusal, or that it is let in. */
export function expectedAnswer(
  row: AccessRow,
  caller: MatrixCaller,
  repository: MatrixRepository,
): 401 | 403 | 404 | 'in' {
  if (caller.kind === 'bad') return 401;
  if (caller.kind !== 'user') {
    if (repository.private) return 404;
    if (row.permission === 'read') return row.token === 'always' ? 401 : 'in';
    if (row.lacking === 404) return 404;
    return caller.kind === 'anonymous' ? 401 : 403;
  }
  const suitable = holdsAny(caller.scopes, scopesFor(row, repository));
  if (repository.private && (caller.permission === 'none' || !suitable)) return 404;
  const sufficient = atLeast(
    repository.private ? caller.permission : orRead(caller.permission),
    row.permission,
  );
  if (!sufficient || (row.token === 'always' && !suitable)) return row.lacking;
  return repository.archived && row.archived === 'refused' ? 403 : 'in';
}

function scopesFor(row: AccessRow, repository: MatrixRepository): readonly Scope[] {
  const wide = repository.private || row.publicRepo === 'not enough';
  return wide ? row.scopes : [...row.scopes, 'public_repo'];
}

/** Everybody may read what is public. */
function orRead(permission: Permission): Permission {
  return permission === 'none' ? 'read' : permission;
}
