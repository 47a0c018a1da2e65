import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../../accounts/account-store.ts';
import { latestCheckRuns } from '../../checks/check-store.ts';
import { notFound } from '../../errors/api-error.ts';
import { attributesOf } from '../../issues/issue-attributes.ts';
import { listComments } from '../../issues/comment-store.ts';
import { accountsInEvent, teamsInEvent } from '../../issues/event-json.ts';
import { eventsOfIssue } from '../../issues/issue-event-store.ts';
import { listLabels } from '../../labels/label-store.ts';
import { listMilestones } from '../../milestones/milestone-store.ts';
import type { Account } from '../../model/account.ts';
import { type Caller, callerAccountId, type UserCaller } from '../../model/caller.ts';
import type { CheckRun } from '../../model/check-run.ts';
import type { CommitStatus } from '../../model/commit-status.ts';
import type { Label } from '../../model/label.ts';
import type { Milestone } from '../../model/milestone.ts';
import { atLeast, type Permission } from '../../model/permission.ts';
import type { ThreadSubscription } from '../../model/notification.ts';
import type { Pull } from '../../model/pull.ts';
import type { Review } from '../../model/review.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import type { Repository } from '../../model/repository.ts';
import { threadSubscriptionsOf } from '../../notifications/thread-subscription-store.ts';
import { autoMergeRefusal, mayDisableAutoMerge } from '../../pulls/operations/auto-merge.ts';
import { type MergeObstacle, mergeObstacles } from '../../pulls/operations/merge-obstacles.ts';
import { mayEdit } from '../../pulls/operations/edit-pull.ts';
import { mayPushToHead } from '../../pulls/branches-of-pull.ts';
import { findPull } from '../../pulls/pull-store.ts';
import { permissionIn } from '../../repositories/repository-access.ts';
import {
  commentsOfReview,
  listReviewComments,
  reviewCommentsById,
} from '../../review-comments/review-comment-store.ts';
import { requestedReviewers, requestedTeams } from '../../reviews/review-request-store.ts';
import { findPendingReview, listReviews } from '../../reviews/review-store.ts';
import { combinedStatus } from '../../statuses/status-store.ts';
import { teamsById } from '../../teams/team-store.ts';
import type { Conversation } from './conversation.ts';

/** Comments, events, reviews, labels and milestones on a page, of each. Older comments, events and reviews are on further pages. */
const itemsMax = 300;
const bounds = { offset: 0, size: itemsMax };

/** The bounds of a page of a conversation: the first has what is newest. */
function newest(page: number): { readonly offset: number; readonly size: number } {
  return { offset: (page - 1) * itemsMax, size: itemsMax };
}

const newestFirst = { updatedSince: 0, sort: 'created', direction: 'desc' } as const;

/** Everything that an issue and a pull have in common on their pages. */
export interface Discussed {
  readonly conversation: Conversation;
  /** Of its pages, which begin with the newest. */
  readonly page: { readonly number: number; readonly hasOlder: boolean };
  readonly accounts: ReadonlyMap<number, Account>;
  readonly labels: readonly Label[];
  readonly assigneeIds: readonly number[];
  readonly milestone: Milestone | undefined;
  /** What forms offer. */
  readonly choices: {
    readonly labels: readonly Label[];
    readonly milestones: readonly Milestone[];
  };
  readonly permission: Permission;
  /** Of the viewer; undefined for visitors. */
  readonly subscription: ThreadSubscription | undefined;
}

export interface LoadedPull extends Discussed {
  readonly pull: Pull;
  /** The pending review of the viewer. */
  readonly pending: Review | undefined;
  readonly threads: readonly ReviewComment[];
  readonly statuses: readonly CommitStatus[];
  readonly checks: readonly CheckRun[];
  readonly reviewerIds: readonly number[];
  readonly teams: readonly string[];
  readonly obstacles: readonly MergeObstacle[];
  readonly mayEdit: boolean;
  readonly mayMerge: boolean;
  /** Whether the viewer may push to the head branch. */
  readonly mayPushToHead: boolean;
  readonly mayEnableAutoMerge: boolean;
  readonly mayDisableAutoMerge: boolean;
}

/** A pull with all that its page shows, in a number of statements that does not depend on how much there is. */
export async function loadPull(
  sql: Sql,
  repository: Repository,
  number: number,
  caller: Caller,
  pageNumber = 1,
): Promise<LoadedPull> {
  const pull = (await findPull(sql, repository.id, number)) ?? notFound();
  const viewerId = callerAccountId(caller);
  const user: UserCaller | undefined = caller.kind === 'user' ? caller : undefined;
  const at = newest(pageNumber);
  const listed = await listReviews(sql, pull.id, viewerId, at, 'desc');
  const reviews = listed.reviews.toReversed();
  const written = await listReviewComments(sql, { kind: 'pull', id: pull.id }, newestFirst, at);
  // By itself: it may be older than the reviews of this page.
  const pending = await findPendingReview(sql, pull.id, viewerId);
  const drafts = pending ? (await commentsOfReview(sql, pending.id, bounds)).comments : [];
  const threads = await withRoots(sql, [...written.comments.toReversed(), ...drafts]);
  const reviewerIds = (await requestedReviewers(sql, [pull.id])).get(pull.id) ?? [];
  const requested = (await requestedTeams(sql, [pull.id], caller)).get(pull.id) ?? [];
  const people = [
    ...threads.map(({ authorId }) => authorId),
    ...reviewerIds,
    ...(pull.autoMerge?.byId ? [pull.autoMerge.byId] : []),
  ];
  const page = {
    number: pageNumber,
    hasOlder: Math.max(listed.total, written.total) > at.offset + at.size,
  };
  const discussed = await loadDiscussed(sql, repository, pull, caller, { reviews, people, page });
  const sha = pull.head.sha;
  const status = await combinedStatus(sql, repository.id, sha, bounds);
  const mayMerge = user !== undefined && atLeast(discussed.permission, 'write');
  return {
    ...discussed,
    pull,
    pending,
    threads,
    statuses: status.statuses,
    checks: (await latestCheckRuns(sql, repository.id, [sha])).get(sha) ?? [],
    reviewerIds,
    teams: requested.map(({ name }) => name),
    obstacles: await mergeObstacles(sql, repository.id, pull, user),
    mayEdit: user !== undefined && (await mayEdit(sql, user, repository, pull)),
    mayMerge,
    mayPushToHead: user !== undefined && (await mayPushToHead(sql, user, pull)),
    mayEnableAutoMerge:
      mayMerge && !pull.autoMerge && !(await autoMergeRefusal(sql, repository, pull)),
    mayDisableAutoMerge:
      user !== undefined && mayDisableAutoMerge(pull, user, discussed.permission),
  };
}

/** Replies may be on the page of a conversation without the comment that they are to. */
async function withRoots(sql: Sql, comments: readonly ReviewComment[]): Promise<ReviewComment[]> {
  const present = new Set(comments.map(({ id }) => id));
  const absent = comments.flatMap(({ replyToId }) =>
    replyToId === null || present.has(replyToId) ? [] : [replyToId],
  );
  return [...(await reviewCommentsById(sql, absent)), ...comments];
}

export async function loadDiscussed(
  sql: Sql,
  repository: Repository,
  issue: { readonly id: number; readonly authorId: number },
  caller: Caller,
  {
    reviews,
    people,
    page,
  }: Pick<Conversation, 'reviews'> &
    Pick<Discussed, 'page'> & { readonly people: readonly number[] },
): Promise<Discussed> {
  const at = newest(page.number);
  const written = await listComments(sql, { kind: 'issue', id: issue.id }, newestFirst, at);
  const happened = await eventsOfIssue(sql, issue.id, at, 'desc');
  const [comments, events] = [written.comments.toReversed(), happened.events.toReversed()];
  const older = Math.max(written.total, happened.total) > at.offset + at.size;
  const attributes = await attributesOf(sql, [issue.id]);
  const assigneeIds = attributes.assigneeIds.get(issue.id) ?? [];
  const accounts = await accountsById(sql, [
    issue.authorId,
    ...people,
    ...assigneeIds,
    ...comments.map(({ authorId }) => authorId),
    ...reviews.map(({ authorId }) => authorId),
    ...events.flatMap(accountsInEvent),
  ]);
  const teams = await teamsById(sql, events.flatMap(teamsInEvent));
  const known = teams.filter(({ privacy }) => privacy !== 'secret');
  const choices = await issueChoices(sql, repository.id);
  return {
    conversation: {
      comments,
      events,
      reviews,
      accounts,
      teams: new Map(known.map(({ id, name }) => [id, name])),
    },
    page: { ...page, hasOlder: page.hasOlder || older },
    accounts,
    labels: attributes.labels.get(issue.id) ?? [],
    assigneeIds,
    milestone: attributes.milestones.get(issue.id),
    choices,
    permission: await permissionIn(sql, caller, repository.id, true),
    subscription:
      caller.kind === 'user'
        ? (await threadSubscriptionsOf(sql, caller.account.id, [issue.id])).get(issue.id)
        : undefined,
  };
}

/** The labels and open milestones of a repository. */
export async function issueChoices(sql: Sql, repositoryId: number): Promise<Discussed['choices']> {
  const { labels } = await listLabels(sql, repositoryId, bounds);
  const filter = { state: 'open', sort: 'due_on', direction: 'asc' } as const;
  const { milestones } = await listMilestones(sql, repositoryId, filter, bounds);
  return { labels, milestones };
}
