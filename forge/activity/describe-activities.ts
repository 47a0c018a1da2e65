import type { Sql } from '#platform/database/database.ts';

import type { Caller } from '../model/caller.ts';
import { permissionsIn } from '../repositories/repository-access.ts';
import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import { commentsById } from '../issues/comment-store.ts';
import { describeComments } from '../issues/describe-comments.ts';
import { surroundingsOfIssues } from '../issues/describe-issues.ts';
import { representIssueSummary } from '../issues/issue-json.ts';
import { issuesById } from '../issues/issue-store.ts';
import { representPullSummary } from '../pulls/pull-json.ts';
import { pullsById } from '../pulls/pull-store.ts';
import { loadPullRelations } from '../pulls/merging/pull-relations.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { Repository } from '../model/repository.ts';
import { describeReviewsOfPulls } from './describe-reviews-of-pulls.ts';
import type { Urls } from '../json/urls.ts';
import { actorOf, type DomainEvent } from '../model/domain-event.ts';
import { type ActivitySurroundings, representActivity } from './activity-json.ts';
import type { Activity } from '../events/activity.ts';

/** Representations of what happened, with resources as they are now: a fixed number of statements for any page. */
export async function describeActivities(
  sql: Sql,
  repository: Repository,
  activities: readonly Activity[],
  caller: Caller,
  urls: Urls,
): Promise<Json[]> {
  const happenings = activities.map(({ happening }) => happening);
  const surroundings: ActivitySurroundings = {
    repository,
    accounts: await accountsById(sql, happenings.flatMap(accountsIn)),
    issues: await describedIssues(sql, repository, happenings, urls),
    comments: await describedComments(sql, repository, happenings, urls),
    pulls: await describedPulls(sql, repository, happenings, caller, urls),
    reviews: await describeReviewsOfPulls(sql, repository, happenings, urls),
    forks: await repositoriesById(sql, forksIn(happenings)),
  };
  return activities.map((activity) => representActivity(activity, surroundings, urls));
}

/** Those whose fork, if they tell of one, the caller may know of. */
export async function visibleActivities(
  sql: Sql,
  activities: readonly Activity[],
  caller: Caller,
): Promise<Activity[]> {
  const permissions = await permissionsIn(sql, caller, forksIn(activities.map(happeningOf)));
  return activities.filter(
    ({ happening }) =>
      happening.event !== 'fork' || (permissions.get(happening.forkId) ?? 'none') !== 'none',
  );
}

function happeningOf({ happening }: Activity): DomainEvent {
  return happening;
}

function forksIn(happenings: readonly DomainEvent[]): number[] {
  return happenings.flatMap((happening) => (happening.event === 'fork' ? [happening.forkId] : []));
}

function accountsIn(happening: DomainEvent): number[] {
  const actorId = actorOf(happening);
  const memberId = happening.event === 'member' ? [happening.memberId] : [];
  return actorId === null ? memberId : [actorId, ...memberId];
}

async function describedIssues(
  sql: Sql,
  repository: Repository,
  happenings: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = happenings.flatMap((happening) =>
    happening.event === 'issues' || happening.event === 'issue_comment' ? [happening.issueId] : [],
  );
  const issues = await issuesById(sql, ids);
  const surroundings = await surroundingsOfIssues(sql, repository, [...issues.values()]);
  const entries = [...issues].map(
    ([id, issue]) => [id, representIssueSummary(issue, surroundings, 'json', urls)] as const,
  );
  return new Map(entries);
}

async function describedComments(
  sql: Sql,
  repository: Repository,
  happenings: readonly DomainEvent[],
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = happenings.flatMap((happening) =>
    happening.event === 'issue_comment' ? [happening.commentId] : [],
  );
  const comments = await commentsById(sql, ids);
  const described = await describeComments(sql, repository, comments, 'json', urls);
  return new Map(comments.map((comment, place) => [comment.id, described[place] ?? null]));
}

async function describedPulls(
  sql: Sql,
  repository: Repository,
  happenings: readonly DomainEvent[],
  caller: Caller,
  urls: Urls,
): Promise<Map<number, Json>> {
  const ids = happenings.flatMap((happening) => ('pullId' in happening ? [happening.pullId] : []));
  const pulls = await pullsById(sql, ids);
  const surroundings = await loadPullRelations(sql, repository, pulls, caller);
  const entries = pulls.map(
    (pull) => [pull.id, representPullSummary(pull, surroundings, 'json', urls)] as const,
  );
  return new Map(entries);
}
