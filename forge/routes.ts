import { getUser } from './accounts/endpoints/get.ts';
import { getAuthenticatedUser } from './accounts/endpoints/get-authenticated.ts';
import type { Endpoint } from './conventions/endpoint.ts';
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

/** Every endpoint, in the order of the spec; neighbours that its clients need follow. */
export const endpoints: readonly Endpoint[] = [
  // Repository invitations

  // Commit statuses

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

  // Repositories
  createForUser,
  getRepository,
];
