import type { Sql } from '#platform/database/database.ts';

import type { RepositoryEvent } from '../model/domain-event.ts';
import { activitiesMax, type Activity, type ActivityType, activityTypeOf } from './activity.ts';

/** Adds an event to the repository's list, in the transaction of the change, and removes the oldest ones. */
export async function recordActivity(
  sql: Sql,
  repositoryId: number,
  domainEvent: RepositoryEvent,
  now: number,
): Promise<void> {
  const type = activityTypeOf(domainEvent);
  if (type === undefined) return;
  const { issueId, commentId, reviewId, forkId, releaseId, commitCommentId } =
    referencesOf(domainEvent);
  await sql.run(
    `insert into activities
       (repository_id, type, issue_id, comment_id, review_id, fork_id, release_id, facts, created_at,
        commit_comment_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    repositoryId,
    type,
    issueId,
    commentId,
    reviewId,
    forkId,
    releaseId,
    JSON.stringify(factsOf(domainEvent)),
    now,
    commitCommentId,
  );
  await sql.run(
    `delete from activities where repository_id = $1 and id <=
       (select id from activities where repository_id = $1 order by id desc limit 1 offset $2)`,
    repositoryId,
    activitiesMax,
  );
}

/** Removes events of any repository that are older than a time, up to a maximum; returns how many. */
export async function removeOldActivities(
  sql: Sql,
  before: number,
  limit: number,
): Promise<number> {
  // Ids ascend with time, so the oldest come first.
  const oldest = await sql.all<{ id: number; created_at: number }>(
    `select id, created_at from activities order by id limit $1`,
    limit,
  );
  const last = oldest.findLast((row) => row.created_at < before);
  if (!last) return 0;
  return sql.run(`delete from activities where id <= $1 and created_at < $2`, last.id, before);
}

/** The latest first. */
export async function activitiesOf(
  sql: Sql,
  repositoryId: number,
  since: number,
): Promise<Activity[]> {
  const rows = await sql.all<ActivityRow>(
    `select id, type, facts, created_at from activities
     where repository_id = $1 and created_at >= $2 order by id desc`,
    repositoryId,
    since,
  );
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    // Only recordActivity() writes this column.
    domainEvent: JSON.parse(row.facts),
    createdAt: row.created_at,
  }));
}

/** The facts to store; the list of events shows no commits. */
function factsOf(domainEvent: RepositoryEvent): RepositoryEvent {
  return domainEvent.event === 'push' ? { ...domainEvent, newCommits: undefined } : domainEvent;
}

interface ActivityRow {
  id: number;
  type: ActivityType;
  facts: string;
  created_at: number;
}

interface ReferencedIds {
  readonly issueId: number | null;
  readonly commentId: number | null;
  readonly reviewId: number | null;
  readonly forkId: number | null;
  readonly releaseId: number | null;
  readonly commitCommentId: number | null;
}

const noReferences: ReferencedIds = {
  issueId: null,
  commentId: null,
  reviewId: null,
  forkId: null,
  releaseId: null,
  commitCommentId: null,
};

function referencesOf(domainEvent: RepositoryEvent): ReferencedIds {
  switch (domainEvent.event) {
    case 'issues':
      return { ...noReferences, issueId: domainEvent.issueId };
    case 'issue_comment': {
      const { issueId, commentId } = domainEvent;
      return { ...noReferences, issueId, commentId };
    }
    case 'pull_request':
      return { ...noReferences, issueId: domainEvent.pullId };
    case 'pull_request_review': {
      const { pullId: issueId, reviewId } = domainEvent;
      return { ...noReferences, issueId, reviewId };
    }
    case 'fork':
      return { ...noReferences, forkId: domainEvent.forkId };
    case 'release':
      return { ...noReferences, releaseId: domainEvent.releaseId };
    case 'commit_comment':
      return { ...noReferences, commitCommentId: domainEvent.commentId };
    case 'push':
    case 'create':
    case 'delete':
    case 'check_run':
    case 'check_suite':
    case 'label':
    case 'milestone':
    case 'pull_request_review_comment':
    case 'member':
    case 'repository':
    case 'repository_dispatch':
    case 'star':
    case 'watch':
    case 'status':
    case 'ping':
      return noReferences;
  }
}
