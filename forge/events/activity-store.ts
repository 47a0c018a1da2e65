import type { Sql } from '#platform/database/database.ts';

import { actorOf, type RepositoryEvent } from '../model/domain-event.ts';
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
        commit_comment_id, actor_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    repositoryId,
    type,
    issueId,
    commentId,
    reviewId,
    forkId,
    releaseId,
    JSON.stringify(storedEvent(domainEvent)),
    now,
    commitCommentId,
    actorOf(domainEvent),
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
    `select ${columns} from activities e
     where e.repository_id = $1 and e.created_at >= $2 order by e.id desc`,
    repositoryId,
    since,
  );
  return rows.map(activityFromRow);
}

/** Whose events a list has. */
export type ActivitySource =
  | { readonly kind: 'everywhere' }
  /** Caused by the account. */
  | { readonly kind: 'caused'; readonly accountId: number }
  /** In repositories that the account watches, and caused by those whom it follows. */
  | { readonly kind: 'received'; readonly accountId: number }
  /** In the repositories of the account. */
  | { readonly kind: 'owned'; readonly accountId: number }
  /** In the repositories of the network. */
  | { readonly kind: 'network'; readonly networkId: number };

/** The latest first, of several repositories; `publicOnly`: of public ones. Callers may not be able to see all of the others. */
export async function activitiesFrom(
  sql: Sql,
  source: ActivitySource,
  { since, publicOnly }: { readonly since: number; readonly publicOnly: boolean },
): Promise<Activity[]> {
  const shown = `r.state = 'ready' ${publicOnly ? 'and r.private = 0' : ''}`;
  if (source.kind === 'everywhere') {
    const latest = await activitiesAmong(
      sql,
      `select a.id from (
         select id, repository_id from activities order by id desc limit ${candidatesMax}) as a
       join repositories r on r.id = a.repository_id where ${shown}
       order by a.id desc limit ${activitiesMax}`,
      { since, shown },
    );
    if (latest.length === activitiesMax) return latest;
    const older = await sql.get(
      `select id from activities order by id desc limit 1 offset ${candidatesMax}`,
    );
    if (!older) return latest;
  }
  const candidates = candidatesOf(source, shown);
  return activitiesAmong(sql, candidates, { since, shown }, ...parametersOf(source));
}

/** `candidates` is a statement that gives ids; its parameters begin with the second. */
async function activitiesAmong(
  sql: Sql,
  candidates: string,
  { since, shown }: { readonly since: number; readonly shown: string },
  ...parameters: readonly number[]
): Promise<Activity[]> {
  const rows = await sql.all<ActivityRow>(
    `select ${columns} from activities e join repositories r on r.id = e.repository_id
     where e.id in (${candidates}) and e.created_at >= $1 and ${shown}
     order by e.id desc limit ${activitiesMax}`,
    since,
    ...parameters,
  );
  return rows.map(activityFromRow);
}

/** Latest events of accounts that a list of a user looks at, which may show not all of them. */
const candidatesMax = 10 * activitiesMax;

/** A statement that gives the ids of a bounded number of events, the latest among them. */
function candidatesOf({ kind }: ActivitySource, shown: string): string {
  switch (kind) {
    case 'everywhere':
      return inRepositories(shown);
    case 'caused':
      return causedBy('= $2', shown);
    case 'received':
      return `select * from (${inRepositories(
        `r.id in (select s.repository_id from repository_subscriptions s
           where s.account_id = $2 and s.ignored = 0) and ${shown}`,
      )}) as watched
      union select * from (${causedBy(
        'in (select f.followed_id from follows f where f.follower_id = $2)',
        shown,
      )}) as followed`;
    case 'owned':
      return inRepositories(`r.owner_id = $2 and ${shown}`);
    case 'network':
      return inRepositories(`r.network_id = $2 and ${shown}`);
  }
}

/** The latest events of these accounts. */
function causedBy(accounts: string, shown: string): string {
  return `select a.id from activities a where a.actor_id ${accounts}
      and exists (select 1 from repositories r where r.id = a.repository_id and ${shown})
    order by a.id desc limit ${candidatesMax}`;
}

/**
 * The latest events are in the repositories with the latest events; there are as many of these as a list has entries, at most. With
 * so many, nothing older than the last event of the last of them is in the list: few events are read, however many there are.
 */
function inRepositories(condition: string): string {
  return `with latest as (
      select r.id, coalesce((select max(l.id) from activities l where l.repository_id = r.id), 0) as last
      from repositories r where ${condition} order by last desc limit ${activitiesMax})
    select a.id from latest join activities a on a.repository_id = latest.id
    where a.id >= (select case when count(*) < ${activitiesMax} then 0 else min(last) end from latest)
    order by a.id desc limit ${activitiesMax}`;
}

function parametersOf(source: ActivitySource): number[] {
  switch (source.kind) {
    case 'everywhere':
      return [];
    case 'caused':
    case 'received':
    case 'owned':
      return [source.accountId];
    case 'network':
      return [source.networkId];
  }
}

const columns = 'e.id, e.repository_id, e.type, e.facts, e.created_at';

function activityFromRow(row: ActivityRow): Activity {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    type: row.type,
    // Only recordActivity() writes this column.
    domainEvent: JSON.parse(row.facts),
    createdAt: row.created_at,
  };
}

/** The event to store; the list of events shows neither commits nor from where an issue was transferred. */
function storedEvent(domainEvent: RepositoryEvent): RepositoryEvent {
  if (domainEvent.event === 'issues') return { ...domainEvent, other: undefined };
  return domainEvent.event === 'push' ? { ...domainEvent, newCommits: undefined } : domainEvent;
}

interface ActivityRow {
  id: number;
  repository_id: number;
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
    case 'deploy_key':
    case 'deployment':
    case 'deployment_status':
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
