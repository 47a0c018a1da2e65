import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Activity } from '../events/activity.ts';
import { commitCommentsById } from '../commit-comments/commit-comment-store.ts';
import { describeCommitCommentsIn } from '../commit-comments/describe-commit-comments.ts';
import { commentsById } from '../issues/comment-store.ts';
import { describeCommentsIn } from '../issues/describe-comments.ts';
import { loadIssueRelationsIn } from '../issues/describe-issues.ts';
import { representIssueSummary } from '../issues/issue-json.ts';
import { issuesById } from '../issues/issue-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Caller } from '../model/caller.ts';
import type { Comment } from '../model/comment.ts';
import type { CommitComment } from '../model/commit-comment.ts';
import { actorOf, type DomainEvent } from '../model/domain-event.ts';
import type { Release } from '../model/release.ts';
import { type Repository, fullName } from '../model/repository.ts';
import { loadPullRelationsIn } from '../pulls/operations/pull-relations.ts';
import { representPullSummary } from '../pulls/pull-json.ts';
import { pullsById } from '../pulls/pull-store.ts';
import { associationsIn } from '../repositories/association-store.ts';
import { permissionsIn } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { describeReleasesIn } from '../releases/describe-releases.ts';
import { releasesById } from '../releases/release-store.ts';
import { representReview } from '../reviews/review-json.ts';
import { reviewsById } from '../reviews/review-store.ts';
import { type ActivityRelations, representActivity } from './activity-json.ts';

/**
 * Representations of events in these repositories, with the current state of resources: in a fixed number of statements, however
 * many repositories these are.
 */
export async function describeActivities(
  sql: Sql,
  repositories: ReadonlyMap<number, Repository>,
  all: readonly Activity[],
  caller: Caller,
  urls: Urls,
): Promise<Json[]> {
  const activities = all.filter(({ repositoryId }) => repositories.has(repositoryId));
  const domainEvents = activities.map(domainEventOf);
  const shared: Omit<ActivityRelations, 'repository'> = {
    accounts: await accountsById(sql, domainEvents.flatMap(accountsIn)),
    issues: await describedIssues(sql, repositories, domainEvents, urls),
    comments: await describedComments(sql, repositories, activities, urls),
    pulls: await describedPulls(sql, repositories, domainEvents, caller, urls),
    reviews: await describeReviewsOfPulls(sql, repositories, domainEvents, urls),
    forks: await repositoriesById(sql, forksIn(domainEvents)),
    releases: await describedReleases(sql, repositories, domainEvents, urls),
    commitComments: await describedCommitComments(sql, repositories, domainEvents, urls),
  };
  return activities.map((activity) => {
    const repository = repositoryIn(repositories, activity);
    return representActivity(activity, { ...shared, repository }, urls);
  });
}

function repositoryIn(
  repositories: ReadonlyMap<number, Repository>,
  { repositoryId }: { readonly repositoryId: number },
): Repository {
  const found = repositories.get(repositoryId);
  if (!found) throw new Error(`an event is of another repository, ${repositoryId}`);
  return found;
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
  repositories: ReadonlyMap<number, Repository>,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'commit_comment' ? [domainEvent.commentId] : [],
  );
  const comments = await commitCommentsById(sql, ids);
  const repositoryOf = (comment: CommitComment): Repository => repositoryIn(repositories, comment);
  const shown = await describeCommitCommentsIn(sql, comments, repositoryOf, 'json', urls);
  return new Map(comments.map(({ id }, index) => [id, shown[index] ?? null]));
}

/** A release that was made a draft again is not shown. */
async function describedReleases(
  sql: Sql,
  repositories: ReadonlyMap<number, Repository>,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'release' ? [domainEvent.releaseId] : [],
  );
  const releases = (await releasesById(sql, ids)).filter(({ draft }) => !draft);
  const repositoryOf = (release: Release): Repository => repositoryIn(repositories, release);
  const representation = await describeReleasesIn(sql, releases, repositoryOf, urls);
  return new Map(releases.map(({ id }, index) => [id, representation[index] ?? null]));
}

async function describedIssues(
  sql: Sql,
  repositories: ReadonlyMap<number, Repository>,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'issues' || domainEvent.event === 'issue_comment'
      ? [domainEvent.issueId]
      : [],
  );
  const issues = await issuesById(sql, ids);
  const relationsIn = await loadIssueRelationsIn(sql, [...issues.values()]);
  const entries = [...issues].map(([id, issue]) => {
    const relations = relationsIn(repositoryIn(repositories, issue));
    return [id, representIssueSummary(issue, relations, 'json', urls)] as const;
  });
  return new Map(entries);
}

async function describedComments(
  sql: Sql,
  repositories: ReadonlyMap<number, Repository>,
  activities: readonly Activity[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const found = new Map(
    activities.flatMap(({ repositoryId, domainEvent }) =>
      domainEvent.event === 'issue_comment' ? [[domainEvent.commentId, repositoryId]] : [],
    ),
  );
  const comments = await commentsById(sql, [...found.keys()]);
  const repositoryOf = ({ id }: Comment): Repository =>
    repositoryIn(repositories, { repositoryId: found.get(id) ?? 0 });
  const representation = await describeCommentsIn(sql, comments, repositoryOf, 'json', urls);
  return new Map(comments.map((comment, index) => [comment.id, representation[index] ?? null]));
}

async function describedPulls(
  sql: Sql,
  repositories: ReadonlyMap<number, Repository>,
  domainEvents: readonly DomainEvent[],
  caller: Caller,
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    'pullId' in domainEvent ? [domainEvent.pullId] : [],
  );
  const pulls = await pullsById(sql, ids);
  const relationsIn = await loadPullRelationsIn(sql, repositories, pulls, caller);
  const entries = pulls.map((pull) => {
    const relations = relationsIn(repositoryIn(repositories, pull));
    return [pull.id, representPullSummary(pull, relations, 'json', urls)] as const;
  });
  return new Map(entries);
}

/** The reviews in these events, of any pulls, by id. */
async function describeReviewsOfPulls(
  sql: Sql,
  repositories: ReadonlyMap<number, Repository>,
  domainEvents: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = domainEvents.flatMap((domainEvent) =>
    domainEvent.event === 'pull_request_review' ? [domainEvent.reviewId] : [],
  );
  const reviews = await reviewsById(sql, ids);
  const accounts = await accountsById(
    sql,
    reviews.map((review) => review.authorId),
  );
  // A pull shares its number with the issue behind it.
  const pulls = await issuesById(
    sql,
    reviews.map((review) => review.pullId),
  );
  const located = reviews.flatMap((review) => {
    const pull = pulls.get(review.pullId);
    return pull
      ? [{ review, pull, repositoryId: pull.repositoryId, authorId: review.authorId }]
      : [];
  });
  const associations = await associationsIn(sql, located);
  const representation = located.map(({ review, pull, repositoryId }) => {
    const relations = {
      repositoryName: fullName(repositoryIn(repositories, pull)),
      pullNumber: pull.number,
      accounts,
      associations: associations.get(repositoryId) ?? new Map(),
    };
    return [review.id, representReview(review, relations, 'json', urls)] as const;
  });
  return new Map(representation);
}
