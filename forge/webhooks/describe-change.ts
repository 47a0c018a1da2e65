import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { accountsById } from '../accounts/account-store.ts';
import { representAccount } from '../accounts/account-json.ts';
import type { Json } from '../json/json-values.ts';
import { commitCommentsById } from '../commit-comments/commit-comment-store.ts';
import { describeCommitComments } from '../commit-comments/describe-commit-comments.ts';
import {
  describeDeployments,
  describeDeploymentStatuses,
} from '../deployments/describe-deployments.ts';
import { findDeploymentStatus } from '../deployments/deployment-status-store.ts';
import { findDeployment } from '../deployments/deployment-store.ts';
import type { DeploymentCreated, DeploymentStatusCreated } from '../model/deployment.ts';
import { findComment } from '../issues/comment-store.ts';
import { describeComments } from '../issues/describe-comments.ts';
import { representLabel } from '../labels/label-json.ts';
import { describeMilestones } from '../milestones/describe-milestones.ts';
import { findPullById } from '../pulls/pull-store.ts';
import type { Pull } from '../model/pull.ts';
import { describePull } from '../pulls/operations/pull-relations.ts';
import { describeRelease } from '../releases/describe-releases.ts';
import { findRelease } from '../releases/release-store.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { fullName } from '../model/repository.ts';
import { describeReviews } from '../reviews/describe-reviews.ts';
import { findReview } from '../reviews/review-store.ts';
import { representTeam } from '../teams/team-json.ts';
import { teamsById } from '../teams/team-store.ts';
import {
  representCommentChange,
  representFork,
  representIssueChange,
  representLabelChange,
  representMemberChange,
  representPullChange,
  representRepositoryChange,
  representReviewChange,
} from './change-json.ts';
import { describeIssueNow, describeSnapshot, describeTransfer } from './describe-issue-change.ts';
import type { PayloadContext } from './payload-context.ts';
import type {
  ActionTarget,
  CommentChanged,
  DomainEvent,
  MilestoneChanged,
  ReleaseChanged,
  RepositoryChanged,
  ReviewChanged,
} from '../model/domain-event.ts';

type Representation = { [field: string]: Json };

/** Events that are described from rows; the others need git. */
export type RowChange = Extract<
  DomainEvent,
  {
    readonly event:
      | 'pull_request'
      | 'issues'
      | 'issue_comment'
      | 'pull_request_review'
      | 'commit_comment'
      | 'deployment'
      | 'deployment_status'
      | 'label'
      | 'milestone'
      | 'release'
      | 'repository'
      | 'member'
      | 'fork';
  }
>;

/** Describes a change from the current rows; undefined if its resources no longer exist. */
export async function describeChange(
  sql: Sql,
  change: RowChange,
  context: PayloadContext,
): Promise<Representation | undefined> {
  switch (change.event) {
    case 'pull_request': {
      const pull = await findPullById(sql, change.pullId);
      if (!pull) return undefined;
      const about = await describeTarget(sql, change.about, context);
      const shown = await describePullOf(sql, pull, context);
      return { ...representPullChange(change, pull.number, shown), ...about };
    }
    case 'issues': {
      const issue = change.last
        ? await describeSnapshot(sql, change.last, context)
        : await describeIssueNow(sql, change.issueId, context);
      if (!issue) return undefined;
      const about = await describeTarget(sql, change.about, context);
      const changes = await describeTransfer(sql, change, context);
      return { ...representIssueChange(change, issue), ...about, ...changes };
    }
    case 'label':
      return representLabelChange(change, context.repository, context.urls);
    case 'milestone':
      return milestoneChange(sql, change, context);
    case 'release':
      return releaseChange(sql, change, context);
    case 'issue_comment':
      return commentChange(sql, change, context);
    case 'commit_comment': {
      const { action, commentId } = change;
      const comments = await commitCommentsById(sql, [commentId]);
      const { repository, urls } = context;
      const [comment] = await describeCommitComments(sql, repository, comments, 'json', urls);
      return comment && { action, comment };
    }
    case 'deployment':
    case 'deployment_status':
      return deploymentChange(sql, change, context);
    case 'pull_request_review':
      return reviewChange(sql, change, context);
    case 'repository':
      return repositoryChange(sql, change, context);
    case 'member': {
      const member = (await accountsById(sql, [change.memberId])).get(change.memberId);
      return member && representMemberChange(change, member, context.urls);
    }
    case 'fork': {
      const fork = (await repositoriesById(sql, [change.forkId])).get(change.forkId);
      return fork?.state === 'ready' ? representFork(fork, context.urls) : undefined;
    }
  }
}

/** The label, user, milestone or team of an action; a deleted user or team is omitted. */
async function describeTarget(
  sql: Sql,
  about: ActionTarget | undefined,
  { repository, urls }: PayloadContext,
): Promise<Representation> {
  const { label, milestone, assigneeId, reviewerId, teamId } = about ?? {};
  const ids = [assigneeId, reviewerId].filter((id) => id !== undefined);
  const accounts = ids.length === 0 ? undefined : await accountsById(sql, ids);
  const assignee = accounts?.get(assigneeId ?? 0);
  const reviewer = accounts?.get(reviewerId ?? 0);
  const [representation] = milestone
    ? await describeMilestones(sql, repository, [milestone], urls)
    : [];
  const [team] = teamId === undefined ? [] : await teamsById(sql, [teamId]);
  return {
    ...(label ? { label: representLabel(label, fullName(repository), urls) } : {}),
    ...present({ milestone: representation }),
    ...(assignee ? { assignee: representAccount(assignee, urls) } : {}),
    ...(reviewer ? { requested_reviewer: representAccount(reviewer, urls) } : {}),
    ...(team ? { requested_team: representTeam(team, urls) } : {}),
  };
}

async function milestoneChange(
  sql: Sql,
  { action, milestone, changes }: MilestoneChanged,
  { repository, urls }: PayloadContext,
): Promise<Representation> {
  const [representation] = await describeMilestones(sql, repository, [milestone], urls);
  return { action, milestone: representation ?? null, ...present({ changes }) };
}

async function releaseChange(
  sql: Sql,
  { action, releaseId, changes, last }: ReleaseChanged,
  { repository, urls }: PayloadContext,
): Promise<Representation | undefined> {
  const release = last ?? (await findRelease(sql, repository.id, releaseId));
  if (!release) return undefined;
  const representation = await describeRelease(sql, repository, release, urls);
  return { action, release: representation, ...present({ changes }) };
}

/** Describes a pull for an anonymous viewer, because a receiver has no permissions. */
export async function describePullOf(
  sql: Sql,
  pull: Pull,
  { repository, urls }: PayloadContext,
): Promise<Json> {
  const caller = { kind: 'anonymous' } as const;
  return describePull(sql, repository, pull, { caller, media: { format: 'json' }, urls });
}

async function commentChange(
  sql: Sql,
  change: CommentChanged,
  context: PayloadContext,
): Promise<Representation | undefined> {
  const { repository, urls } = context;
  const comment = change.last ?? (await findComment(sql, repository.id, change.commentId));
  const issue = await describeIssueNow(sql, change.issueId, context);
  if (!comment || !issue) return undefined;
  const [representation] = await describeComments(sql, repository, [comment], 'json', urls);
  return representCommentChange(change, issue, representation ?? null);
}

async function reviewChange(
  sql: Sql,
  change: ReviewChanged,
  context: PayloadContext,
): Promise<Representation | undefined> {
  const { repository, urls } = context;
  const pull = await findPullById(sql, change.pullId);
  const review = await findReview(sql, change.pullId, change.reviewId);
  if (!pull || !review) return undefined;
  const options = { media: { format: 'json' }, urls } as const;
  const [representation] = await describeReviews(sql, repository, pull.number, [review], options);
  return representReviewChange(
    change,
    representation ?? null,
    await describePullOf(sql, pull, context),
  );
}

async function deploymentChange(
  sql: Sql,
  change: DeploymentCreated | DeploymentStatusCreated,
  { repository, urls }: PayloadContext,
): Promise<Representation | undefined> {
  const found = await findDeployment(sql, repository.id, change.deploymentId);
  if (!found) return undefined;
  const { action } = change;
  const [deployment = null] = await describeDeployments(sql, repository, [found], urls);
  const payload = { action, deployment, workflow: null, workflow_run: null };
  if (change.event === 'deployment') return payload;
  const status = await findDeploymentStatus(sql, found.id, change.statusId);
  if (!status) return undefined;
  const [shown = null] = await describeDeploymentStatuses(sql, repository, [status], urls);
  return { ...payload, deployment_status: shown, check_run: null };
}

async function repositoryChange(
  sql: Sql,
  change: RepositoryChanged,
  { urls }: PayloadContext,
): Promise<Representation> {
  const { formerOwnerId } = change;
  const former =
    formerOwnerId === undefined
      ? undefined
      : (await accountsById(sql, [formerOwnerId])).get(formerOwnerId);
  return representRepositoryChange(change, former, urls);
}
