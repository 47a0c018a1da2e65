import { checkMembership } from './accounts/endpoints/check-membership.ts';
import { getUser } from './accounts/endpoints/get.ts';
import { getAuthenticatedUser } from './accounts/endpoints/get-authenticated.ts';
import { listEmails, listPublicEmails } from './accounts/endpoints/list-emails.ts';
import { getMembership } from './accounts/endpoints/get-membership.ts';
import { getOrganization } from './accounts/endpoints/get-organization.ts';
import { listOrganizationMembers } from './accounts/endpoints/list-members.ts';
import { listOrganizationsOfUser } from './accounts/endpoints/list-organizations-of-user.ts';
import { listOrganizationsOfAuthenticatedUser } from './accounts/endpoints/list-own-organizations.ts';
import { removeMember, removeMembership } from './accounts/endpoints/remove-membership.ts';
import { setMembership } from './accounts/endpoints/set-membership.ts';
import { checkToken } from './auth/applications/endpoints/check-token.ts';
import { deleteAuthorization } from './auth/applications/endpoints/delete-authorization.ts';
import { deleteToken } from './auth/applications/endpoints/delete-token.ts';
import { resetToken } from './auth/applications/endpoints/reset-token.ts';
import { deleteBranchProtection } from './branches/endpoints/delete-protection.ts';
import { getBranch } from './branches/endpoints/get.ts';
import { getBranchProtection } from './branches/endpoints/get-protection.ts';
import { listBranches } from './branches/endpoints/list.ts';
import { mergeBranch } from './branches/endpoints/merge.ts';
import {
  getAdminProtection,
  setAdminProtection,
  removeAdminProtection,
} from './branches/endpoints/enforce-admins.ts';
import {
  listRestrictedTeams,
  addRestrictedTeams,
  setRestrictedTeams,
  removeRestrictedTeams,
} from './branches/endpoints/restricted-teams.ts';
import {
  listRestrictedUsers,
  addRestrictedUsers,
  setRestrictedUsers,
  removeRestrictedUsers,
} from './branches/endpoints/restricted-users.ts';
import {
  getRestrictions,
  removeRestrictions,
  listRestrictedApps,
} from './branches/endpoints/restrictions.ts';
import {
  getReviewProtection,
  updateReviewProtection,
  removeReviewProtection,
} from './branches/endpoints/review-protection.ts';
import {
  listStatusCheckContexts,
  addStatusCheckContexts,
  setStatusCheckContexts,
  removeStatusCheckContexts,
} from './branches/endpoints/status-check-contexts.ts';
import {
  getStatusChecksProtection,
  updateStatusChecksProtection,
  removeStatusChecksProtection,
} from './branches/endpoints/status-checks.ts';
import { updateBranchProtection } from './branches/endpoints/update-protection.ts';
import { addRepositoryCollaborator } from './collaborators/endpoints/add.ts';
import { checkCollaborator } from './collaborators/endpoints/check.ts';
import { getCollaboratorPermission } from './collaborators/endpoints/get-permission.ts';
import { listRepositoryCollaborators } from './collaborators/endpoints/list.ts';
import { removeRepositoryCollaborator } from './collaborators/endpoints/remove.ts';
import { compareCommits } from './commits/endpoints/compare.ts';
import { getCommit } from './commits/endpoints/get.ts';
import { listCommits } from './commits/endpoints/list.ts';
import { listBranchesWhereHead } from './commits/endpoints/list-branches-where-head.ts';
import { listCheckRuns } from './commits/endpoints/list-check-runs.ts';
import { listCheckSuites } from './commits/endpoints/list-check-suites.ts';
import { listPullsOfCommit } from './commits/endpoints/list-pulls.ts';
import { deleteContent } from './contents/endpoints/delete.ts';
import { getContent } from './contents/endpoints/get.ts';
import { getReadme } from './contents/endpoints/get-readme.ts';
import { getRootContent } from './contents/endpoints/get-root.ts';
import { putContent } from './contents/endpoints/put.ts';
import type { Endpoint } from './routing/endpoint.ts';
import { listActivities } from './activity/endpoints/list.ts';
import { createBlob } from './git-data/endpoints/create-blob.ts';
import { createCommit } from './git-data/endpoints/create-commit.ts';
import { createReference } from './git-data/endpoints/create-ref.ts';
import { createTag } from './git-data/endpoints/create-tag.ts';
import { createTree } from './git-data/endpoints/create-tree.ts';
import { deleteReference } from './git-data/endpoints/delete-ref.ts';
import { getBlob } from './git-data/endpoints/get-blob.ts';
import { getGitCommit } from './git-data/endpoints/get-commit.ts';
import { getRef } from './git-data/endpoints/get-ref.ts';
import { getTag } from './git-data/endpoints/get-tag.ts';
import { getTree } from './git-data/endpoints/get-tree.ts';
import { listAllRefs } from './git-data/endpoints/list-all-refs.ts';
import { listMatchingRefs } from './git-data/endpoints/list-matching-refs.ts';
import { listRefs } from './git-data/endpoints/list-refs.ts';
import { listRefsOrGet } from './git-data/endpoints/list-refs-or-get.ts';
import { listTags } from './git-data/endpoints/list-tags.ts';
import { updateReference } from './git-data/endpoints/update-ref.ts';
import { graphql } from './graphql/endpoints/graphql.ts';
import { acceptRepositoryInvitation } from './invitations/endpoints/accept.ts';
import { cancelInvitation } from './invitations/endpoints/cancel.ts';
import { declineRepositoryInvitation } from './invitations/endpoints/decline.ts';
import { listInvitationsOfRepository } from './invitations/endpoints/list-for-repository.ts';
import { listInvitationsForUser } from './invitations/endpoints/list-for-user.ts';
import { updateInvitation } from './invitations/endpoints/update.ts';
import { addAssigneesToIssue } from './issues/endpoints/add-assignees.ts';
import { addLabelsToIssue } from './issues/endpoints/add-labels.ts';
import { checkAssignee } from './issues/endpoints/check-assignee.ts';
import { createIssue } from './issues/endpoints/create.ts';
import { createComment } from './issues/endpoints/create-comment.ts';
import { deleteCommentEndpoint } from './issues/endpoints/delete-comment.ts';
import { getComment } from './issues/endpoints/get-comment.ts';
import { listCommentsOfIssue } from './issues/endpoints/list-comments.ts';
import { listCommentsOfRepository } from './issues/endpoints/list-comments-of-repository.ts';
import { updateComment } from './issues/endpoints/update-comment.ts';
import { getIssue } from './issues/endpoints/get.ts';
import { getIssueEvent } from './issues/endpoints/get-event.ts';
import { listIssuesOfRepository } from './issues/endpoints/list.ts';
import { listAssignees } from './issues/endpoints/list-assignees.ts';
import { listEventsOfIssue } from './issues/endpoints/list-events.ts';
import { listEventsOfRepository } from './issues/endpoints/list-events-of-repository.ts';
import { listLabelsOfIssue } from './issues/endpoints/list-labels.ts';
import { lockConversation } from './issues/endpoints/lock.ts';
import { removeAllLabelsFromIssue } from './issues/endpoints/remove-all-labels.ts';
import { removeAssigneesFromIssue } from './issues/endpoints/remove-assignees.ts';
import { removeLabelFromIssue } from './issues/endpoints/remove-label.ts';
import { setLabelsOfIssue } from './issues/endpoints/set-labels.ts';
import { unlockConversation } from './issues/endpoints/unlock.ts';
import { updateIssueEndpoint } from './issues/endpoints/update.ts';
import { createLabel } from './labels/endpoints/create.ts';
import { deleteLabelEndpoint } from './labels/endpoints/delete.ts';
import { getLabel } from './labels/endpoints/get.ts';
import { listLabelsOfRepository } from './labels/endpoints/list.ts';
import { updateLabelEndpoint } from './labels/endpoints/update.ts';
import { createMilestone } from './milestones/endpoints/create.ts';
import { deleteMilestoneEndpoint } from './milestones/endpoints/delete.ts';
import { getMilestone } from './milestones/endpoints/get.ts';
import { listMilestones } from './milestones/endpoints/list.ts';
import { listLabelsOfMilestone } from './milestones/endpoints/list-labels.ts';
import { updateMilestoneEndpoint } from './milestones/endpoints/update.ts';
import { checkMerged } from './pulls/endpoints/check-merged.ts';
import { createPullRequest } from './pulls/endpoints/create.ts';
import { getPullRequest } from './pulls/endpoints/get.ts';
import { listPullRequests } from './pulls/endpoints/list.ts';
import { listPullCommits } from './pulls/endpoints/list-commits.ts';
import { listPullFiles } from './pulls/endpoints/list-files.ts';
import { mergePullRequest } from './pulls/endpoints/merge.ts';
import { updatePullRequest } from './pulls/endpoints/update.ts';
import { updateBranch } from './pulls/endpoints/update-branch.ts';
import { createForOrganization } from './repositories/endpoints/create-for-organization.ts';
import { deleteThreadSubscription } from './notifications/endpoints/delete-subscription.ts';
import { getThreadSubscription } from './notifications/endpoints/get-subscription.ts';
import { getThread } from './notifications/endpoints/get-thread.ts';
import { listNotifications } from './notifications/endpoints/list.ts';
import { listNotificationsOfRepository } from './notifications/endpoints/list-of-repository.ts';
import { markNotificationsReadInRepository } from './notifications/endpoints/mark-read-in-repository.ts';
import { markNotificationsRead } from './notifications/endpoints/mark-read.ts';
import { markThreadRead } from './notifications/endpoints/mark-thread-read.ts';
import { setThreadSubscription } from './notifications/endpoints/set-subscription.ts';
import { createForUser } from './repositories/endpoints/create-for-user.ts';
import { createFork } from './repositories/endpoints/create-fork.ts';
import { deleteRepositoryEndpoint } from './repositories/endpoints/delete.ts';
import { getRepository } from './repositories/endpoints/get.ts';
import { getTopics } from './repositories/endpoints/get-topics.ts';
import { listRepositoriesOfAuthenticatedUser } from './repositories/endpoints/list-for-authenticated-user.ts';
import { listRepositoriesOfOrganization } from './repositories/endpoints/list-for-organization.ts';
import { listRepositoriesOfUser } from './repositories/endpoints/list-for-user.ts';
import { listForks } from './repositories/endpoints/list-forks.ts';
import { listPublicRepositories } from './repositories/endpoints/list-public.ts';
import { replaceTopics } from './repositories/endpoints/replace-topics.ts';
import { transferRepositoryEndpoint } from './repositories/endpoints/transfer.ts';
import { updateRepository } from './repositories/endpoints/update.ts';
import { createReviewComment } from './review-comments/endpoints/create.ts';
import { createReviewCommentReply } from './review-comments/endpoints/create-reply.ts';
import { deleteReviewCommentEndpoint } from './review-comments/endpoints/delete.ts';
import { getReviewComment } from './review-comments/endpoints/get.ts';
import { listReviewCommentsOfPull } from './review-comments/endpoints/list.ts';
import { listReviewCommentsOfRepository } from './review-comments/endpoints/list-of-repository.ts';
import { listCommentsOfReview } from './review-comments/endpoints/list-of-review.ts';
import { updateReviewComment } from './review-comments/endpoints/update.ts';
import { createReview } from './reviews/endpoints/create.ts';
import { deleteDraftReview } from './reviews/endpoints/delete-draft.ts';
import { dismissReview } from './reviews/endpoints/dismiss.ts';
import { getReview } from './reviews/endpoints/get.ts';
import { listReviewsOfPull } from './reviews/endpoints/list.ts';
import { listRequestedReviewers } from './reviews/endpoints/list-requests.ts';
import { removeRequestedReviewers } from './reviews/endpoints/remove-request.ts';
import { requestReviewers } from './reviews/endpoints/request.ts';
import { submitReview } from './reviews/endpoints/submit.ts';
import { updateReview } from './reviews/endpoints/update.ts';
import { createAuthorization } from './site/endpoints/create-authorization.ts';
import { createOrganizationEndpoint } from './site/endpoints/create-organization.ts';
import { createUserEndpoint } from './site/endpoints/create-user.ts';
import { deleteAuthorizations } from './site/endpoints/delete-authorizations.ts';
import { getMeta } from './site/endpoints/get-meta.ts';
import { getRateLimit } from './site/endpoints/get-rate-limit.ts';
import { getRoot } from './site/endpoints/get-root.ts';
import { createCommitStatus } from './statuses/endpoints/create.ts';
import { getCombinedStatus } from './statuses/endpoints/get-combined.ts';
import { listStatusesForRef } from './statuses/endpoints/list-for-ref.ts';
import { listStatusesForRefLegacy } from './statuses/endpoints/list-for-ref-legacy.ts';
import { checkTeamPermission } from './teams/endpoints/check-repository.ts';
import { createTeam } from './teams/endpoints/create.ts';
import { deleteTeamEndpoint } from './teams/endpoints/delete.ts';
import { getTeam } from './teams/endpoints/get.ts';
import { getTeamMembership } from './teams/endpoints/get-membership.ts';
import { listTeamsOfOrganization } from './teams/endpoints/list.ts';
import { listMembersOfTeam } from './teams/endpoints/list-members.ts';
import { listTeamsOfRepository } from './teams/endpoints/list-of-repository.ts';
import { listTeamsOfAuthenticatedUser } from './teams/endpoints/list-own.ts';
import { listRepositoriesOfTeam } from './teams/endpoints/list-repositories.ts';
import { setTeamPermission } from './teams/endpoints/put-repository.ts';
import { removeTeamMembership } from './teams/endpoints/remove-membership.ts';
import { removeTeamRepository } from './teams/endpoints/remove-repository.ts';
import { setTeamMembership } from './teams/endpoints/set-membership.ts';
import { updateTeam } from './teams/endpoints/update.ts';
import { createWebhook } from './webhooks/endpoints/create.ts';
import { deleteWebhookEndpoint } from './webhooks/endpoints/delete.ts';
import { getWebhookDelivery } from './webhooks/endpoints/get-delivery.ts';
import { getWebhook } from './webhooks/endpoints/get.ts';
import { getWebhookConfig } from './webhooks/endpoints/get-config.ts';
import { listWebhookDeliveries } from './webhooks/endpoints/list-deliveries.ts';
import { listWebhooks } from './webhooks/endpoints/list.ts';
import { pingWebhook } from './webhooks/endpoints/ping.ts';
import { redeliverWebhook } from './webhooks/endpoints/redeliver.ts';
import { testWebhook } from './webhooks/endpoints/test-push.ts';
import { updateWebhookEndpoint } from './webhooks/endpoints/update.ts';
import { updateWebhookConfig } from './webhooks/endpoints/update-config.ts';

/** Every endpoint, in the order of the spec; neighbours that its clients need follow. */
export const endpoints: readonly Endpoint[] = [
  // Repository invitations
  listInvitationsOfRepository,
  cancelInvitation,
  updateInvitation,
  listInvitationsForUser,
  acceptRepositoryInvitation,
  declineRepositoryInvitation,

  // Commit statuses
  createCommitStatus,
  listStatusesForRef,
  listStatusesForRefLegacy,
  getCombinedStatus,

  // Pull requests
  listPullRequests,
  getPullRequest,
  createPullRequest,
  updateBranch,
  updatePullRequest,
  listPullCommits,
  listPullFiles,
  checkMerged,
  mergePullRequest,
  listReviewsOfPull,
  createReview,
  getReview,
  updateReview,
  deleteDraftReview,
  submitReview,
  dismissReview,
  listRequestedReviewers,
  requestReviewers,
  removeRequestedReviewers,
  listReviewCommentsOfRepository,
  getReviewComment,
  updateReviewComment,
  deleteReviewCommentEndpoint,
  listReviewCommentsOfPull,
  createReviewComment,
  createReviewCommentReply,
  listCommentsOfReview,

  // Drafts of pulls, which only GraphQL changes
  graphql,

  // Issues
  listIssuesOfRepository,
  createIssue,
  listCommentsOfRepository,
  getComment,
  updateComment,
  deleteCommentEndpoint,
  listEventsOfRepository,
  getIssueEvent,
  getIssue,
  updateIssueEndpoint,
  listLabelsOfIssue,
  addLabelsToIssue,
  setLabelsOfIssue,
  removeAllLabelsFromIssue,
  removeLabelFromIssue,
  listAssignees,
  checkAssignee,
  addAssigneesToIssue,
  removeAssigneesFromIssue,
  lockConversation,
  unlockConversation,
  listCommentsOfIssue,
  createComment,
  listEventsOfIssue,

  // Labels and milestones
  listLabelsOfRepository,
  createLabel,
  getLabel,
  updateLabelEndpoint,
  deleteLabelEndpoint,
  listMilestones,
  createMilestone,
  getMilestone,
  updateMilestoneEndpoint,
  deleteMilestoneEndpoint,
  listLabelsOfMilestone,

  // Accounts
  getAuthenticatedUser,
  listEmails,
  listPublicEmails,
  getUser,
  getOrganization,
  listOrganizationsOfAuthenticatedUser,
  listOrganizationsOfUser,
  listOrganizationMembers,
  checkMembership,
  removeMember,
  getMembership,
  setMembership,
  removeMembership,

  // Teams
  listTeamsOfOrganization,
  createTeam,
  getTeam,
  updateTeam,
  deleteTeamEndpoint,
  listMembersOfTeam,
  getTeamMembership,
  setTeamMembership,
  removeTeamMembership,
  listRepositoriesOfTeam,
  checkTeamPermission,
  setTeamPermission,
  removeTeamRepository,
  listTeamsOfAuthenticatedUser,
  listTeamsOfRepository,

  // Collaborators
  listRepositoryCollaborators,
  addRepositoryCollaborator,
  checkCollaborator,
  removeRepositoryCollaborator,
  getCollaboratorPermission,

  // Repositories
  listRepositoriesOfAuthenticatedUser,
  listRepositoriesOfUser,
  listRepositoriesOfOrganization,
  listPublicRepositories,
  createForUser,
  createForOrganization,
  getRepository,
  updateRepository,
  deleteRepositoryEndpoint,
  transferRepositoryEndpoint,
  getTopics,
  replaceTopics,
  listForks,
  createFork,

  // Webhooks
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookConfig,
  updateWebhookConfig,
  pingWebhook,
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhook,

  // Events and notifications
  listActivities,
  listNotifications,
  markNotificationsRead,
  listNotificationsOfRepository,
  markNotificationsReadInRepository,
  getThread,
  markThreadRead,
  getThreadSubscription,
  setThreadSubscription,
  deleteThreadSubscription,

  // Branches
  listBranches,
  getBranch,
  mergeBranch,
  getBranchProtection,
  updateBranchProtection,
  deleteBranchProtection,
  getStatusChecksProtection,
  updateStatusChecksProtection,
  removeStatusChecksProtection,
  listStatusCheckContexts,
  addStatusCheckContexts,
  setStatusCheckContexts,
  removeStatusCheckContexts,
  getReviewProtection,
  updateReviewProtection,
  removeReviewProtection,
  getAdminProtection,
  setAdminProtection,
  removeAdminProtection,
  getRestrictions,
  removeRestrictions,
  listRestrictedApps,
  listRestrictedUsers,
  addRestrictedUsers,
  setRestrictedUsers,
  removeRestrictedUsers,
  listRestrictedTeams,
  addRestrictedTeams,
  setRestrictedTeams,
  removeRestrictedTeams,

  // Commits
  listCommits,
  getCommit,
  compareCommits,
  listPullsOfCommit,
  listBranchesWhereHead,
  listCheckRuns,
  listCheckSuites,

  // Contents
  getRootContent,
  getContent,
  putContent,
  deleteContent,
  getReadme,

  // Git data
  getRef,
  listRefs,
  listRefsOrGet,
  listMatchingRefs,
  listAllRefs,
  createReference,
  updateReference,
  deleteReference,
  listTags,
  createBlob,
  getBlob,
  createTree,
  getTree,
  createCommit,
  getGitCommit,
  createTag,
  getTag,

  // The server
  getRoot,
  getRateLimit,
  getMeta,

  // Applications and their tokens
  checkToken,
  resetToken,
  deleteToken,
  deleteAuthorization,

  // Site administration, as on the enterprise server
  createUserEndpoint,
  createOrganizationEndpoint,
  createAuthorization,
  deleteAuthorizations,
];
