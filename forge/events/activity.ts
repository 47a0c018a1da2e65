import type { RepositoryEvent, IssueChanged, PullEvent } from '../model/domain-event.ts';

/** Events of a repository that are listed, the latest. */
export const activitiesMax = 300;
/** Age of events that are listed. */
export const shownMilliseconds: number = 90 * 24 * 60 * 60_000;

/** One entry of the list of a repository's events. */
export interface Activity {
  readonly id: number;
  readonly repositoryId: number;
  readonly type: ActivityType;
  readonly domainEvent: RepositoryEvent;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export type ActivityType =
  | 'CommitCommentEvent'
  | 'CreateEvent'
  | 'DeleteEvent'
  | 'ForkEvent'
  | 'IssueCommentEvent'
  | 'IssuesEvent'
  | 'MemberEvent'
  | 'PublicEvent'
  | 'PullRequestEvent'
  | 'PullRequestReviewEvent'
  | 'PushEvent'
  | 'ReleaseEvent'
  | 'WatchEvent';

/** The type of an event in the list; undefined for events that only webhooks get. */
export function activityTypeOf(domainEvent: RepositoryEvent): ActivityType | undefined {
  switch (domainEvent.event) {
    case 'push':
      return 'PushEvent';
    case 'create':
      return 'CreateEvent';
    case 'delete':
      return 'DeleteEvent';
    case 'fork':
      return 'ForkEvent';
    case 'issues':
      return changesState(domainEvent.action) ? 'IssuesEvent' : undefined;
    case 'issue_comment':
      return domainEvent.action === 'created' ? 'IssueCommentEvent' : undefined;
    case 'pull_request':
      // A push to the head has its own PushEvent.
      return changesState(domainEvent.action) ? 'PullRequestEvent' : undefined;
    case 'pull_request_review':
      return domainEvent.action === 'edited' ? undefined : 'PullRequestReviewEvent';
    case 'member':
      return domainEvent.action === 'added' ? 'MemberEvent' : undefined;
    case 'repository':
      if (domainEvent.action === 'created') return 'CreateEvent';
      return domainEvent.action === 'publicized' ? 'PublicEvent' : undefined;
    case 'release':
      return domainEvent.action === 'published' ? 'ReleaseEvent' : undefined;
    case 'commit_comment':
      return 'CommitCommentEvent';
    case 'watch':
      return 'WatchEvent';
    case 'check_run':
    case 'check_suite':
    case 'deploy_key':
    case 'deployment':
    case 'deployment_status':
    case 'label':
    case 'milestone':
    case 'ping':
    case 'pull_request_review_comment':
    case 'repository_dispatch':
    case 'star':
    case 'status':
      return undefined;
  }
}

/** Changes of labels, assignees, milestones and locks would displace other events from a short list. */
function changesState(action: (IssueChanged | PullEvent)['action']): boolean {
  const listed: readonly string[] = [
    'opened',
    'edited',
    'closed',
    'reopened',
    'ready_for_review',
    'converted_to_draft',
  ];
  return listed.includes(action);
}
