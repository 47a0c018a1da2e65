import { organizationRoutes } from './accounts/organization-routes.ts';
import { userRoutes } from './accounts/user-routes.ts';
import { accountActivityRoutes } from './activity/account-activity-routes.ts';
import { activityRoutes } from './activity/activity-routes.ts';
import { timelineRoutes } from './activity/timeline-routes.ts';
import { appRoutes } from './auth/apps/app-routes.ts';
import { installationRoutes } from './auth/apps/installation-routes.ts';
import { applicationRoutes } from './auth/applications/application-routes.ts';
import { branchRoutes } from './branches/branch-routes.ts';
import { checkSuiteRoutes } from './checks/check-suite-routes.ts';
import { checkRoutes } from './checks/check-routes.ts';
import { collaboratorRoutes } from './collaborators/collaborator-routes.ts';
import { commitCommentRoutes } from './commit-comments/commit-comment-routes.ts';
import { commitRoutes } from './commits/commit-routes.ts';
import { contributorRoutes } from './commits/contributor-routes.ts';
import { statisticsRoutes } from './commits/statistics-routes.ts';
import { archiveRoutes } from './contents/archive-routes.ts';
import { languageRoutes } from './contents/language-routes.ts';
import { deploymentRoutes } from './deployments/deployment-routes.ts';
import { followRoutes } from './follows/follow-routes.ts';
import { contentRoutes } from './contents/content-routes.ts';
import { gitObjectRoutes } from './git-data/git-object-routes.ts';
import { refRoutes } from './git-data/ref-routes.ts';
import { graphqlRoutes } from './graphql/graphql-routes.ts';
import { invitationRoutes } from './invitations/invitation-routes.ts';
import { issueRoutes } from './issues/issue-routes.ts';
import { labelRoutes } from './labels/label-routes.ts';
import { milestoneRoutes } from './milestones/milestone-routes.ts';
import { notificationRoutes } from './notifications/notification-routes.ts';
import { pullRoutes } from './pulls/pull-routes.ts';
import { assetRoutes } from './releases/asset-routes.ts';
import { reactionRoutes } from './reactions/reaction-routes.ts';
import { releaseRoutes } from './releases/release-routes.ts';
import { repositoryRoutes } from './repositories/repository-routes.ts';
import { reviewCommentRoutes } from './review-comments/review-comment-routes.ts';
import { reviewRoutes } from './reviews/review-routes.ts';
import type { Endpoint } from './routing/endpoint.ts';
import { issueListRoutes } from './search/issue-list-routes.ts';
import { codeSearchRoutes } from './search/code-search-routes.ts';
import { issueSearchRoutes } from './search/issue-search-routes.ts';
import { emptyListRoutes } from './site/empty-list-routes.ts';
import { sshKeyRoutes } from './ssh-keys/ssh-key-routes.ts';
import { siteRoutes } from './site/site-routes.ts';
import { starRoutes } from './stars/star-routes.ts';
import { statusRoutes } from './statuses/status-routes.ts';
import { subscriptionRoutes } from './subscriptions/subscription-routes.ts';
import { templateRoutes } from './templates/template-routes.ts';
import { teamRoutes } from './teams/team-routes.ts';
import { appHookRoutes } from './webhooks/app-hook-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** Every endpoint, by resource; a resource's own list is in the order list, get, create, update, delete. */
export const endpoints: readonly Endpoint[] = [
  ...invitationRoutes,
  ...statusRoutes,
  ...checkRoutes,
  ...checkSuiteRoutes,
  ...pullRoutes,
  ...reviewRoutes,
  ...reviewCommentRoutes,
  ...graphqlRoutes(() => endpoints),
  ...issueRoutes,
  ...labelRoutes,
  ...milestoneRoutes,
  ...userRoutes,
  ...sshKeyRoutes,
  ...organizationRoutes,
  ...teamRoutes,
  ...collaboratorRoutes,
  ...repositoryRoutes,
  ...webhookRoutes,
  ...starRoutes,
  ...subscriptionRoutes,
  ...followRoutes,
  ...activityRoutes,
  ...accountActivityRoutes,
  ...timelineRoutes,
  ...notificationRoutes,
  ...branchRoutes,
  ...commitRoutes,
  ...contributorRoutes,
  ...statisticsRoutes,
  ...commitCommentRoutes,
  ...deploymentRoutes,
  ...reactionRoutes,
  ...contentRoutes,
  ...archiveRoutes,
  ...languageRoutes,
  ...refRoutes,
  ...gitObjectRoutes,
  ...releaseRoutes,
  ...assetRoutes,
  ...siteRoutes,
  ...templateRoutes,
  ...emptyListRoutes,
  ...issueListRoutes,
  ...issueSearchRoutes,
  ...codeSearchRoutes,
  ...applicationRoutes,
  ...appRoutes,
  ...appHookRoutes,
  ...installationRoutes,
];
