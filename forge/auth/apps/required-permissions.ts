import type { AppPermissionLevel, AppPermissionName, RequiredPermission } from '../../model/app.ts';

/** A permission with the operations that it lets an installation token call: those that read, and those that need `write`. */
interface PermissionRow {
  readonly any: readonly AppPermissionName[];
  readonly read: string;
  readonly write: string;
}

/**
 * What installation tokens may call in repositories, by GitHub's list of the permissions required for GitHub Apps. Any of the
 * permissions of a row is enough. Operations that are not listed are refused.
 */
const rows: readonly PermissionRow[] = [
  {
    any: ['metadata'],
    read: `repos/get repos/get-all-topics repos/list-forks repos/list-tags repos/list-languages repos/list-contributors
      repos/get-contributors-stats repos/get-commit-activity-stats repos/get-code-frequency-stats repos/get-participation-stats
      repos/get-punch-card-stats
      activity/list-stargazers-for-repo activity/list-watchers-for-repo repos/get-repo-rulesets repos/get-branch-rules repos/list-collaborators
      repos/check-collaborator repos/get-collaborator-permission-level`,
    write: '',
  },
  {
    any: ['administration'],
    read: `repos/list-teams repos/list-deploy-keys repos/get-deploy-key repos/list-invitations repos/get-branch-protection
      repos/get-pull-request-review-protection repos/get-admin-branch-protection repos/get-status-checks-protection
      repos/get-all-status-check-contexts repos/get-access-restrictions repos/get-apps-with-access-to-protected-branch
      repos/get-users-with-access-to-protected-branch repos/get-teams-with-access-to-protected-branch`,
    write: `repos/update repos/create-deploy-key repos/delete-deploy-key repos/replace-all-topics repos/add-collaborator repos/remove-collaborator
      repos/update-invitation repos/delete-invitation repos/update-branch-protection repos/delete-branch-protection
      repos/update-pull-request-review-protection repos/delete-pull-request-review-protection
      repos/set-admin-branch-protection repos/delete-admin-branch-protection repos/update-status-check-protection
      repos/remove-status-check-protection repos/add-status-check-contexts repos/set-status-check-contexts
      repos/remove-status-check-contexts repos/delete-access-restrictions
      repos/add-user-access-restrictions repos/set-user-access-restrictions repos/remove-user-access-restrictions
      repos/add-team-access-restrictions repos/set-team-access-restrictions repos/remove-team-access-restrictions`,
  },
  {
    any: ['contents'],
    read: `repos/list-branches repos/get-branch repos/list-commits repos/get-commit repos/compare-commits
      repos/list-branches-for-head-commit repos/get-content repos/get-readme licenses/get-for-repo repos/download-zipball-archive repos/download-tarball-archive git/get-blob git/get-tree git/get-commit
      git/get-tag git/list-refs git/list-matching-refs git/list-refs-or-get git/get-ref repos/list-releases
      repos/get-latest-release repos/get-release-by-tag repos/get-release repos/list-release-assets
      repos/get-release-asset repos/list-commit-comments-for-repo repos/list-comments-for-commit
      repos/get-commit-comment reactions/list-for-commit-comment reactions/list-for-release`,
    write: `repos/merge repos/merge-upstream repos/rename-branch repos/create-or-update-file-contents repos/delete-file pulls/merge git/create-blob git/create-tree
      git/create-commit git/create-tag git/create-ref git/update-ref git/delete-ref repos/create-release
      repos/generate-release-notes repos/update-release repos/delete-release repos/upload-release-asset
      repos/update-release-asset repos/delete-release-asset repos/create-dispatch-event repos/create-commit-comment repos/update-commit-comment
      repos/delete-commit-comment reactions/create-for-commit-comment reactions/delete-for-commit-comment
      reactions/create-for-release reactions/delete-for-release`,
  },
  {
    any: ['pull_requests'],
    read: `pulls/list pulls/get pulls/list-commits pulls/list-files pulls/check-if-merged pulls/list-reviews
      pulls/get-review pulls/list-requested-reviewers pulls/list-review-comments-for-repo pulls/list-review-comments
      pulls/list-comments-for-review pulls/get-review-comment repos/list-pull-requests-associated-with-commit
      reactions/list-for-pull-request-review-comment`,
    write: `pulls/create pulls/update pulls/update-branch pulls/create-review pulls/update-review
      pulls/delete-pending-review pulls/submit-review pulls/dismiss-review pulls/request-reviewers
      pulls/remove-requested-reviewers pulls/create-review-comment pulls/create-reply-for-review-comment
      pulls/update-review-comment pulls/delete-review-comment
      reactions/create-for-pull-request-review-comment reactions/delete-for-pull-request-comment`,
  },
  {
    any: ['issues', 'pull_requests'],
    read: `issues/list-for-repo issues/get issues/list-comments-for-repo issues/list-comments issues/get-comment
      issues/list-assignees issues/check-user-can-be-assigned issues/list-labels-on-issue issues/list-events-for-repo
      issues/list-events issues/list-events-for-timeline issues/get-event issues/list-labels-for-repo issues/get-label issues/list-milestones
      issues/get-milestone issues/list-labels-for-milestone reactions/list-for-issue
      reactions/list-for-issue-comment`,
    write: `issues/update issues/create-comment issues/update-comment issues/delete-comment issues/add-assignees
      issues/remove-assignees issues/lock issues/unlock issues/add-labels issues/set-labels issues/remove-label
      issues/remove-all-labels issues/create-label issues/update-label issues/delete-label issues/create-milestone
      issues/update-milestone issues/delete-milestone reactions/create-for-issue reactions/delete-for-issue
      reactions/create-for-issue-comment reactions/delete-for-issue-comment`,
  },
  { any: ['issues'], read: '', write: 'issues/create' },
  {
    any: ['statuses'],
    read: 'repos/list-commit-statuses-for-ref repos/get-combined-status-for-ref',
    write: 'repos/create-commit-status',
  },
  {
    any: ['deployments'],
    read: `repos/list-deployments repos/get-deployment repos/list-deployment-statuses repos/get-deployment-status`,
    write: 'repos/create-deployment repos/delete-deployment repos/create-deployment-status',
  },
  { any: ['actions'], read: 'repos/get-all-environments repos/get-environment', write: '' },
  {
    any: ['checks'],
    read: `checks/list-for-ref checks/list-suites-for-ref checks/list-for-suite checks/list-annotations checks/get
      checks/get-suite`,
    write: `checks/create checks/update checks/create-suite checks/rerequest-suite checks/rerequest-run
      checks/set-suites-preferences`,
  },
  {
    any: ['repository_hooks'],
    read: `repos/list-webhooks repos/get-webhook repos/get-webhook-config-for-repo repos/list-webhook-deliveries
      repos/get-webhook-delivery`,
    write: `repos/create-webhook repos/update-webhook repos/delete-webhook repos/update-webhook-config-for-repo
      repos/ping-webhook repos/test-push-webhook repos/redeliver-webhook-delivery`,
  },
];

/** By the id of the operation. Without an entry: not for installation tokens. */
export const requiredPermissions: ReadonlyMap<string, readonly RequiredPermission[]> = new Map(
  rows.flatMap(({ any, read, write }) => [
    ...entriesOf(read, any, 'read'),
    ...entriesOf(write, any, 'write'),
  ]),
);

function entriesOf(
  operations: string,
  names: readonly AppPermissionName[],
  level: AppPermissionLevel,
): (readonly [operation: string, required: readonly RequiredPermission[]])[] {
  const required = names.map((name): RequiredPermission => [name, level]);
  return operations
    .split(/\s+/)
    .flatMap((operation) => (operation === '' ? [] : [[operation, required] as const]));
}
