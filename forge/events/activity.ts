import type { DomainEvent, IssueChanged, PullEvent } from '../model/domain-event.ts';

/** What is shown of a repository: so many, and nothing older. */
export const activitiesMax = 300;
export const shownMilliseconds: number = 90 * 24 * 60 * 60_000;

/** One entry of the list of a repository's events. */
export interface Activity {
  readonly id: number;
  readonly type: ActivityType;
  readonly happening: DomainEvent;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export type ActivityType =
  | 'CreateEvent'
  | 'DeleteEvent'
  | 'ForkEvent'
  | 'IssueCommentEvent'
  | 'IssuesEvent'
  | 'MemberEvent'
  | 'PublicEvent'
  | 'PullRequestEvent'
  | 'PullRequestReviewEvent'
  | 'PushEvent';

/** Under which name the list shows a happening; undefined for those that only webhooks are told of. */
export function activityTypeOf(happening: DomainEvent): ActivityType | undefined {
  switch (happening.event) {
    case 'push':
      return 'PushEvent';
    case 'create':
      return 'CreateEvent';
    case 'delete':
      return 'DeleteEvent';
    case 'fork':
      return 'ForkEvent';
    case 'issues':
      return changesState(happening.action) ? 'IssuesEvent' : undefined;
    case 'issue_comment':
      return happening.action === 'created' ? 'IssueCommentEvent' : undefined;
    case 'pull_request':
      // A push to its head is told by that push.
      return changesState(happening.action) ? 'PullRequestEvent' : undefined;
    case 'pull_request_review':
      return happening.action === 'edited' ? undefined : 'PullRequestReviewEvent';
    case 'member':
      return happening.action === 'added' ? 'MemberEvent' : undefined;
    case 'repository':
      if (happening.action === 'created') return 'CreateEvent';
      return happening.action === 'publicized' ? 'PublicEvent' : undefined;
    case 'label':
    case 'milestone':
    case 'ping':
    case 'pull_request_review_comment':
    case 'status':
      return undefined;
  }
}

/** Labels, people, milestones and locks would push all else out of a short list. */
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
