import { type AccessRow, listed } from './access-row.ts';

/** By the lowest permission that will do. */
export const accessTable: readonly AccessRow[] = [
  {
    permission: 'read',
    token: 'where private',
    scopes: ['repo', 'repo:status'],
    denied: 404,
    archived: 'open',
    operations: listed(`
      GET /commits/:ref/statuses /statuses/:ref /commits/:ref/status`),
  },
  {
    permission: 'read',
    token: 'where private',
    scopes: ['repo', 'repo_deployment'],
    denied: 404,
    archived: 'open',
    operations: listed(`
      GET /deployments /deployments/:deployment_id /deployments/:deployment_id/statuses
      GET /deployments/:deployment_id/statuses/:status_id`),
  },
  {
    permission: 'read',
    token: 'where private',
    scopes: ['repo'],
    denied: 404,
    archived: 'open',
    operations: listed(`
      GET /pulls /pulls/:pull_number /pulls/:pull_number/commits /pulls/:pull_number/files
      GET /pulls/:pull_number/merge /pulls/:pull_number/reviews
      GET /pulls/:pull_number/reviews/:review_id /pulls/:pull_number/requested_reviewers
      GET /pulls/comments /pulls/comments/:comment_id /pulls/:pull_number/comments
      GET /pulls/:pull_number/reviews/:review_id/comments /issues /issues/comments
      GET /issues/comments/:comment_id /issues/events /issues/events/:event_id
      GET /issues/:issue_number /issues/:issue_number/labels /assignees /assignees/:assignee
      GET /issues/:issue_number/comments /issues/:issue_number/events /issues/:issue_number/timeline /labels /labels/:name
      GET /milestones /milestones/:milestone_number /milestones/:milestone_number/labels / /topics
      GET /languages /license /contributors /stats/contributors /stats/commit_activity /stats/code_frequency
      GET /stats/participation /stats/punch_card /stargazers /subscribers /comments /comments/:commit_comment_id /commits/:ref/comments /environments /environments/:environment_name /rulesets /rules/branches/*
      GET /issues/:issue_number/reactions /issues/comments/:comment_id/reactions
      GET /pulls/comments/:comment_id/reactions /comments/:commit_comment_id/reactions
      GET /releases/:release_id/reactions
      GET /zipball /zipball/* /tarball /tarball/*
      GET /releases /releases/latest /releases/tags/* /releases/:release_id
      GET /releases/:release_id/assets /releases/assets/:asset_id
      GET /forks /events /branches /branches/:branch /commits /commits/:ref /compare/:range
      GET /commits/:commit_sha/pulls /commits/:commit_sha/branches-where-head
      GET /commits/:ref/check-runs /commits/:ref/check-suites /check-runs/:check_run_id
      GET /check-runs/:check_run_id/annotations /check-suites/:check_suite_id
      GET /check-suites/:check_suite_id/check-runs /contents /contents/* /readme
      GET /git/ref/* /git/refs /git/refs/* /git/matching-refs/* /git/matching-refs /tags
      GET /git/blobs/:file_sha /git/trees/:tree_sha /git/commits/:commit_sha /git/tags/:tag_sha`),
  },
  {
    permission: 'read',
    token: 'always',
    scopes: ['repo'],
    denied: 404,
    archived: 'refused',
    operations: listed(`
      POST /pulls /pulls/:pull_number/reviews /pulls/:pull_number/reviews/:review_id/events
      POST /pulls/:pull_number/comments /pulls/:pull_number/comments/:comment_id/replies /issues
      POST /issues/:issue_number/comments /commits/:ref/comments
      POST /issues/:issue_number/reactions /issues/comments/:comment_id/reactions
      POST /pulls/comments/:comment_id/reactions /comments/:commit_comment_id/reactions
      POST /releases/:release_id/reactions
      PATCH /comments/:commit_comment_id
      DELETE /comments/:commit_comment_id /issues/:issue_number/reactions/:reaction_id
      DELETE /issues/comments/:comment_id/reactions/:reaction_id
      DELETE /pulls/comments/:comment_id/reactions/:reaction_id
      DELETE /comments/:commit_comment_id/reactions/:reaction_id
      DELETE /releases/:release_id/reactions/:reaction_id
      PUT /pulls/:pull_number/update-branch /pulls/:pull_number/reviews/:review_id
      PATCH /pulls/:pull_number /pulls/comments/:comment_id /issues/comments/:comment_id
      PATCH /issues/:issue_number
      DELETE /pulls/:pull_number/reviews/:review_id /pulls/comments/:comment_id
      DELETE /issues/comments/:comment_id`),
  },
  {
    permission: 'read',
    token: 'always',
    scopes: ['repo'],
    denied: 404,
    archived: 'open',
    operations: listed(`
      POST /forks /generate`),
  },
  {
    permission: 'read',
    token: 'always',
    scopes: ['repo', 'notifications'],
    denied: 404,
    publicRepo: 'not enough',
    archived: 'open',
    operations: listed(`
      GET /notifications /subscription
      PUT /notifications /subscription
      DELETE /subscription`),
  },
  {
    permission: 'triage',
    token: 'always',
    scopes: ['repo'],
    denied: 404,
    archived: 'refused',
    operations: listed(`
      POST /pulls/:pull_number/requested_reviewers /issues/:issue_number/labels
      POST /issues/:issue_number/assignees
      DELETE /pulls/:pull_number/requested_reviewers /issues/:issue_number/labels
      DELETE /issues/:issue_number/labels/:name /issues/:issue_number/assignees
      PUT /issues/:issue_number/labels`),
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo', 'repo:status'],
    denied: 404,
    archived: 'refused',
    operations: listed(`
      POST /statuses/:sha`),
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo', 'repo_deployment'],
    denied: 404,
    archived: 'refused',
    operations: listed(`
      POST /deployments /deployments/:deployment_id/statuses
      DELETE /deployments/:deployment_id`),
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    denied: 404,
    archived: 'refused',
    operations: listed(`
      PUT /pulls/:pull_number/merge /pulls/:pull_number/reviews/:review_id/dismissals
      PUT /issues/:issue_number/lock /contents/*
      DELETE /issues/:issue_number/lock /labels/:name /milestones/:milestone_number /contents/*
      DELETE /git/refs/* /releases/:release_id /releases/assets/:asset_id
      POST /releases /releases/generate-notes /releases/:release_id/assets
      PATCH /releases/:release_id /releases/assets/:asset_id
      POST /dispatches /check-suites /check-suites/:check_suite_id/rerequest /check-runs/:check_run_id/rerequest
      POST /check-runs /labels /milestones /merges /merge-upstream /branches/:branch/rename /git/refs /git/blobs /git/trees /git/commits /git/tags
      PATCH /check-runs/:check_run_id /labels/:name /milestones/:milestone_number /git/refs/*`),
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    denied: 403,
    archived: 'open',
    operations: listed(`
      GET /collaborators /collaborators/:username`),
  },
  {
    permission: 'write',
    token: 'always',
    scopes: ['repo'],
    denied: 403,
    archived: 'open',
    operations: listed(`
      GET /collaborators/:username/permission`),
  },
  {
    permission: 'admin',
    token: 'where private',
    scopes: ['repo'],
    denied: 403,
    archived: 'open',
    operations: listed(`
      GET /teams /branches/:branch/protection /branches/:branch/protection/required_status_checks
      GET /branches/:branch/protection/required_status_checks/contexts
      GET /branches/:branch/protection/required_pull_request_reviews
      GET /branches/:branch/protection/enforce_admins /branches/:branch/protection/restrictions
      GET /branches/:branch/protection/restrictions/apps
      GET /branches/:branch/protection/restrictions/users
      GET /branches/:branch/protection/restrictions/teams`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'repo:invite'],
    denied: 403,
    archived: 'open',
    operations: listed(`
      GET /invitations`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'repo:invite'],
    denied: 403,
    archived: 'refused',
    operations: listed(`
      DELETE /invitations/:invitation_id
      PATCH /invitations/:invitation_id`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo'],
    denied: 403,
    archived: 'refused',
    operations: listed(`
      PUT /collaborators/:username /topics /branches/:branch/protection
      PUT /branches/:branch/protection/required_status_checks/contexts
      PUT /branches/:branch/protection/restrictions/users
      PUT /branches/:branch/protection/restrictions/teams
      DELETE /collaborators/:username /branches/:branch/protection
      DELETE /branches/:branch/protection/required_status_checks
      DELETE /branches/:branch/protection/required_status_checks/contexts
      DELETE /branches/:branch/protection/required_pull_request_reviews
      DELETE /branches/:branch/protection/enforce_admins /branches/:branch/protection/restrictions
      DELETE /branches/:branch/protection/restrictions/users
      DELETE /branches/:branch/protection/restrictions/teams
      POST /transfer /branches/:branch/protection/required_status_checks/contexts
      POST /branches/:branch/protection/enforce_admins
      POST /branches/:branch/protection/restrictions/users
      POST /branches/:branch/protection/restrictions/teams
      PATCH /check-suites/preferences /branches/:branch/protection/required_status_checks
      PATCH /branches/:branch/protection/required_pull_request_reviews`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo'],
    denied: 403,
    archived: 'open',
    operations: listed(`
      PATCH /`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'delete_repo'],
    denied: 403,
    archived: 'open',
    operations: listed(`
      DELETE /`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'read:repo_hook'],
    denied: 404,
    archived: 'open',
    operations: listed(`
      GET /hooks /hooks/:hook_id /hooks/:hook_id/config /hooks/:hook_id/deliveries
      GET /hooks/:hook_id/deliveries/:delivery_id
      POST /hooks/:hook_id/pings /hooks/:hook_id/tests`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'write:repo_hook'],
    denied: 404,
    archived: 'refused',
    operations: listed(`
      POST /hooks /hooks/:hook_id/deliveries/:delivery_id/attempts
      PATCH /hooks/:hook_id /hooks/:hook_id/config`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo'],
    denied: 404,
    archived: 'open',
    operations: listed(`
      GET /keys /keys/:key_id
      DELETE /keys/:key_id`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo'],
    denied: 404,
    archived: 'refused',
    operations: listed(`
      POST /keys`),
  },
  {
    permission: 'admin',
    token: 'always',
    scopes: ['repo', 'admin:repo_hook'],
    denied: 404,
    archived: 'open',
    operations: listed(`
      DELETE /hooks/:hook_id`),
  },
];
