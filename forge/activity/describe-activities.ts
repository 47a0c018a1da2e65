import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Activity } from '../events/activity.ts';
import { commitCommentsById } from '../commit-comments/commit-comment-store.ts';
import { describeCommitComments } from '../commit-comments/describe-commit-comments.ts';
import { commentsById } from '../issues/comment-store.ts';
import { describeComments } from '../issues/describe-comments.ts';
import { loadIssueRelations } from '../issues/describe-issues.ts';
import { representIssueSummary } from '../issues/issue-json.ts';
import { issuesById } from '../issues/issue-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Caller } from '../model/caller.ts';
import { actorOf, type DomainEvent } from '../model/domain-event.ts';
import { type Repository, fullName } from '../model/repository.ts';
import { loadPullRelations } from '../pulls/merging/pull-relations.ts';
import { representPullSummary } from '../pulls/pull-json.ts';
import { pullsById } from '../pulls/pull-store.ts';
import { associationsOf } from '../repositories/association-store.ts';
import { permissionsIn } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { describeReleases } from '../releases/describe-releases.ts';
import { releasesById } from '../releases/release-store.ts';
import { representReview } from '../reviews/review-json.ts';
import { reviewsById } from '../reviews/review-store.ts';
import { type ActivityRelations, representActivity } from './activity-json.ts';

/** Representations of events, with the current state of resources, in a fixed number of statements. */
export async function describeActivities(
  sql: Sql,
  repository: Repository,
  activities: readonly Activity[],
  caller: Caller,
  urls: Urls,
): Promise<Json[]> {
  const domainEvents = activities.map(({ domainEvent }) => domainEvent);
  const relations: ActivityRelations = {
    repository,
    accounts: await accountsById(sql, domainEvents.flatMap(accountsIn)),
    issues: await describedIssues(sql, repository, domainEvents, urls),
    comments: await describedComments(sql, repository, domainEvents, urls),
    pulls: await describedPulls(sql, repository, domainEvents, caller, urls),
    reviews: await describeReviewsOfPulls(sql, repository, domainEvents, urls),
    forks: await repositoriesById(sql, forksIn(domainEvents)),
    releases: await describedReleases(sql, repository, domainEvents, urls),
    commitComments: await describedCommitComments(sql, repository, domainEvents, urls),
  };
  return activities.map((activity) => representActivity(activity, relations, urls));
}

/** The events without those about forks that the caller may not see. */
export async function visibleActivities(
  sql: Sql,
  activities: readonly Activity[],
  caller: Caller,
): Promise<Activity[]> {
  const permissions = await permissionsIn(sql, caller, forksIn(activities.map(domainEventOf)));
  return activities.filter(
    ({ domainEvent }) =>
      domainEvent.event !== 'fork' || (permissions.get(domainEvent.forkId) ?? 'none') !== 'none',
  );
}

function domainEventOf({ domainEvent }: Activity): DomainEvent {
  return domainEvent;
}

function forksIn(domainEvents: readonly DomainEvent[]): number[] {
  return domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'fork' ? [domainEvent.forkId] : [],
  );
}

function accountsIn(domainEvent: DomainEvent): number[] {
  const actorId = actorOf(domainEvent);
  const memberId = domainEvent.event === 'member' ? [domainEvent.memberId] : [];
  return actorId === null ? memberId : [actorId, ...memberId];
}

async function describedCommitComments(
  sql: Sql,
  repository: Repository,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'commit_comment' ? [domainEvent.commentId] : [],
  );
  const comments = await commitCommentsById(sql, ids);
  const shown = await describeCommitComments(sql, repository, comments, 'json', urls);
  return new Map(comments.map(({ id }, index) => [id, shown[index] ?? null]));
}

/** A release that was made a draft again is not shown. */
async function describedReleases(
  sql: Sql,
  repository: Repository,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'release' ? [domainEvent.releaseId] : [],
  );
  const releases = (await releasesById(sql, ids)).filter(({ draft }) => !draft);
  const representation = await describeReleases(sql, repository, releases, urls);
  return new Map(releases.map(({ id }, index) => [id, representation[index] ?? null]));
}

async function describedIssues(
  sql: Sql,
  repository: Repository,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'issues' || domainEvent.event === 'issue_comment'
      ? [domainEvent.issueId]
      : [],
  );
  const issues = await issuesById(sql, ids);
  const relations = await loadIssueRelations(sql, repository, [...issues.values()]);
  const entries = [...issues].map(
    ([id, issue]) => [id, representIssueSummary(issue, relations, 'json', urls)] as const,
  );
  return new Map(entries);
}

async function describedComments(
  sql: Sql,
  repository: Repository,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'issue_comment' ? [domainEvent.commentId] : [],
  );
  const comments = await commentsById(sql, ids);
  const representation = await describeComments(sql, repository, comments, 'json', urls);
  return new Map(comments.map((comment, index) => [comment.id, representation[index] ?? null]));
}

async function describedPulls(
  sql: Sql,
  repository: Repository,
  domainEvents: readonly DomainEvent[],
  caller: Caller,
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    'pullId' in domainEvent ? [domainEvent.pullId] : [],
  );
  const pulls = await pullsById(sql, ids);
  const relations = await loadPullRelations(sql, repository, pulls, caller);
  const entries = pulls.map(
    (pull) => [pull.id, representPullSummary(pull, relations, 'json', urls)] as const,
  );
  return new Map(entries);
}

/** The reviews in these events, of any pulls, by id. */
async function describeReviewsOfPulls(
  sql: Sql,
  repository: Repository,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'pull_request_review' ? [domainEvent.reviewId] : [],
  );
  const reviews = await reviewsById(sql, ids);
  const authorIds = reviews.map((review) => review.authorId);
  const repositoryName = fullName(repository);
  const accounts = await accountsById(sql, authorIds);
  const associations = await associationsOf(sql, repository, authorIds);
  // A pull shares its number with the issue behind it.
  const pulls = await issuesById(
    sql,
    reviews.map((review) => review.pullId),
  );
  const representation = reviews.map((review) => {
    const pullNumber = pulls.get(review.pullId)?.number ?? 0;
    const relations = { repositoryName, pullNumber, accounts, associations };
    return [review.id, representReview(review, relations, 'json', urls)] as const;
  });
  return new Map(representation);
}
