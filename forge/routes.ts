import { getUser } from './accounts/endpoints/get.ts';
import { getAuthenticatedUser } from './accounts/endpoints/get-authenticated.ts';
import { checkMembership } from './accounts/endpoints/check-membership.ts';
import { getMembership } from './accounts/endpoints/get-membership.ts';
import { getOrganization } from './accounts/endpoints/get-organization.ts';
import { listOrganizationMembers } from './accounts/endpoints/list-members.ts';
import { listOrganizationsOfAuthenticatedUser } from './accounts/endpoints/list-own-organizations.ts';
import { listOrganizationsOfUser } from './accounts/endpoints/list-organizations-of-user.ts';
import { removeMember, removeMembership } from './accounts/endpoints/remove-membership.ts';
import { setMembership } from './accounts/endpoints/set-membership.ts';
import { addRepositoryCollaborator } from './collaborators/endpoints/add.ts';
import { checkCollaborator } from './collaborators/endpoints/check.ts';
import { getCollaboratorPermission } from './collaborators/endpoints/get-permission.ts';
import { listRepositoryCollaborators } from './collaborators/endpoints/list.ts';
import { removeRepositoryCollaborator } from './collaborators/endpoints/remove.ts';
import type { Endpoint } from './conventions/endpoint.ts';
import { acceptRepositoryInvitation } from './invitations/endpoints/accept.ts';
import { cancelInvitation } from './invitations/endpoints/cancel.ts';
import { declineRepositoryInvitation } from './invitations/endpoints/decline.ts';
import { listInvitationsOfRepository } from './invitations/endpoints/list-for-repository.ts';
import { listInvitationsForUser } from './invitations/endpoints/list-for-user.ts';
import { updateInvitation } from './invitations/endpoints/update.ts';
import { checkMerged } from './pulls/endpoints/check-merged.ts';
import { createPullRequest } from './pulls/endpoints/create.ts';
import { getPullRequest } from './pulls/endpoints/get.ts';
import { listPullRequests } from './pulls/endpoints/list.ts';
import { listPullCommits } from './pulls/endpoints/list-commits.ts';
import { listPullFiles } from './pulls/endpoints/list-files.ts';
import { mergePullRequest } from './pulls/endpoints/merge.ts';
import { updateBranch } from './pulls/endpoints/update-branch.ts';
import { updatePullRequest } from './pulls/endpoints/update.ts';
import { createForUser } from './repositories/endpoints/create-for-user.ts';
import { getRepository } from './repositories/endpoints/get.ts';
import { createFork } from './repositories/endpoints/create-fork.ts';
import { createForOrganization } from './repositories/endpoints/create-for-organization.ts';
import { deleteRepositoryEndpoint } from './repositories/endpoints/delete.ts';
import { getTopics } from './repositories/endpoints/get-topics.ts';
import { listForks } from './repositories/endpoints/list-forks.ts';
import { listPublicRepositories } from './repositories/endpoints/list-public.ts';
import { listRepositoriesOfAuthenticatedUser } from './repositories/endpoints/list-for-authenticated-user.ts';
import { listRepositoriesOfOrganization } from './repositories/endpoints/list-for-organization.ts';
import { listRepositoriesOfUser } from './repositories/endpoints/list-for-user.ts';
import { replaceTopics } from './repositories/endpoints/replace-topics.ts';
import { transferRepositoryEndpoint } from './repositories/endpoints/transfer.ts';
import { updateRepository } from './repositories/endpoints/update.ts';
import { createCommitStatus } from './statuses/endpoints/create.ts';
import { getCombinedStatus } from './statuses/endpoints/get-combined.ts';
import { listStatusesForRefLegacy } from './statuses/endpoints/list-for-ref-legacy.ts';
import { listStatusesForRef } from './statuses/endpoints/list-for-ref.ts';

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

  // Accounts
  getAuthenticatedUser,
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
];
