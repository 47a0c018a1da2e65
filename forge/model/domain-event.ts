import type { ObjectId, RefName } from '../git/names.ts';
import type { AppEvent } from './app-event.ts';
import type { CheckRunEvent, CheckSuiteEvent } from './check-event.ts';
import type { Comment } from './comment.ts';
import type { CommitStatus } from './commit-status.ts';
import type { DeploymentCreated, DeploymentStatusCreated } from './deployment.ts';
import type { IssueSnapshot } from './issue-snapshot.ts';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';
import type { GrantedPermission } from './permission.ts';
import type { Release } from './release.ts';
import type { ReviewComment } from './review-comment.ts';
import type { DeployKeyChanged } from './ssh-key.ts';

/** An event, with only the data that is needed to build its payload later, so that the transaction of the change stays short. */
export type DomainEvent = RepositoryEvent | AppEvent;

/** An event in a repository. */
export type RepositoryEvent =
  | { readonly event: 'ping'; readonly actorId: number | null }
  | { readonly event: 'status'; readonly status: CommitStatus }
  | RefEvent
  | PullEvent
  | IssueChanged
  | CommentChanged
  | ReviewChanged
  | ReviewCommentChanged
  | LabelChanged
  | MilestoneChanged
  | ReleaseChanged
  | RepositoryChanged
  | MemberChanged
  | CheckRunEvent
  | CheckSuiteEvent
  | StarChanged
  | DeployKeyChanged
  | CommitCommented
  | DeploymentCreated
  | DeploymentStatusCreated
  | Dispatched
  /** A star, as the list of events shows it. */
  | { readonly event: 'watch'; readonly action: 'started'; readonly actorId: number | null }
  | { readonly event: 'fork'; readonly forkId: number; readonly actorId: number | null };

export interface CommitCommented {
  readonly event: 'commit_comment';
  readonly action: 'created';
  readonly commentId: number;
  readonly actorId: number | null;
}

/** What a program sends to webhooks. */
export interface Dispatched {
  readonly event: 'repository_dispatch';
  /** Its own name for it. */
  readonly action: string;
  /** An object, as JSON. */
  readonly payload: string;
  readonly actorId: number | null;
}

export interface StarChanged {
  readonly event: 'star';
  readonly action: 'created' | 'deleted';
  /** null once it is deleted. */
  readonly starredAt: number | null;
  readonly actorId: number | null;
}

export interface RefEvent {
  readonly event: 'push' | 'create' | 'delete';
  readonly ref: RefName;
  readonly before: ObjectId;
  readonly after: ObjectId;
  readonly actorId: number | null;
  /** `push`: its commits, if they were computed when the ref moved (ref-updates/new-commits.ts). */
  readonly newCommits?: NewCommits | undefined;
}

/** Changes of attributes of an issue or pull, named like the events of its timeline. */
export type AttributeAction =
  | 'labeled'
  | 'unlabeled'
  | 'assigned'
  | 'unassigned'
  | 'milestoned'
  | 'demilestoned'
  | 'locked'
  | 'unlocked'
  | 'pinned'
  | 'unpinned';

/** The target of an action. Labels and milestones are copies, because they may be deleted before the delivery. */
export interface ActionTarget {
  readonly label?: Label;
  readonly milestone?: Milestone;
  readonly assigneeId?: number;
  readonly reviewerId?: number;
  readonly teamId?: number;
}

export interface PullEvent {
  readonly event: 'pull_request';
  readonly action:
    | AttributeAction
    | 'review_requested'
    | 'review_request_removed'
    | 'opened'
    | 'closed'
    | 'reopened'
    | 'edited'
    | 'synchronize'
    | 'ready_for_review'
    | 'converted_to_draft';
  readonly pullId: number;
  readonly actorId: number | null;
  /** `synchronize`: the head before and after. */
  readonly before?: ObjectId;
  readonly after?: ObjectId;
  /** `edited`: the old values. */
  readonly changes?: {
    readonly title?: { readonly from: string };
    readonly body?: { readonly from: string };
    readonly base?: {
      readonly ref: { readonly from: string };
      readonly sha: { readonly from: string };
    };
  };
  readonly about?: ActionTarget;
}

/** The old values, for payloads of edits. */
export type PreviousText = {
  readonly title?: { readonly from: string };
  readonly body?: { readonly from: string };
};

export interface IssueChanged {
  readonly event: 'issues';
  readonly action:
    | AttributeAction
    | 'opened'
    | 'edited'
    | 'closed'
    | 'reopened'
    | 'deleted'
    | 'transferred';
  readonly issueId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousText;
  readonly about?: ActionTarget;
  /** `deleted`, `transferred`: the issue as it was, which is no longer in the repository. */
  readonly last?: IssueSnapshot;
  /** `transferred`: where the issue is now. `opened`: where it was, if it was transferred from there. */
  readonly other?: (IssueSnapshot & { readonly repositoryId: number }) | undefined;
}

export interface CommentChanged {
  readonly event: 'issue_comment';
  readonly action: 'created' | 'edited' | 'deleted';
  readonly issueId: number;
  readonly commentId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousText;
  /** `deleted`: the comment, which is no longer stored. */
  readonly last?: Comment;
}

export interface ReviewChanged {
  readonly event: 'pull_request_review';
  readonly action: 'submitted' | 'edited' | 'dismissed';
  readonly pullId: number;
  readonly reviewId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousText;
}

/** A comment on a line of a pull. Comments of pending reviews cause no events. */
export interface ReviewCommentChanged {
  readonly event: 'pull_request_review_comment';
  readonly action: 'created' | 'edited' | 'deleted';
  readonly pullId: number;
  readonly commentId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousText;
  /** `deleted`: the comment, which is no longer stored. */
  readonly last?: ReviewComment;
}

/** The old value of each edited field. */
type PreviousValues = Readonly<Record<string, { readonly from: string }>>;

/** A label of the repository, as it is after that. */
export interface LabelChanged {
  readonly event: 'label';
  readonly action: 'created' | 'edited' | 'deleted';
  readonly label: Label;
  readonly actorId: number | null;
  readonly changes?: PreviousValues;
}

export interface MilestoneChanged {
  readonly event: 'milestone';
  readonly action: 'created' | 'edited' | 'opened' | 'closed' | 'deleted';
  readonly milestone: Milestone;
  readonly actorId: number | null;
  readonly changes?: PreviousValues;
}

export interface ReleaseChanged {
  readonly event: 'release';
  readonly action:
    | 'created'
    | 'edited'
    | 'published'
    | 'released'
    | 'prereleased'
    | 'unpublished'
    | 'deleted';
  readonly releaseId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousValues;
  /** `deleted`: the release, which is no longer stored. */
  readonly last?: Release;
}

export interface RepositoryChanged {
  readonly event: 'repository';
  readonly action:
    | 'created'
    | 'edited'
    | 'renamed'
    | 'archived'
    | 'unarchived'
    | 'privatized'
    | 'publicized'
    | 'transferred'
    | 'deleted';
  readonly actorId: number | null;
  /** `renamed`: the name before. */
  readonly formerName?: string;
  /** `transferred`: the owner before. */
  readonly formerOwnerId?: number;
  /** `edited`: the old values. */
  readonly changes?: Readonly<Record<string, { readonly from: string | readonly string[] | null }>>;
}

export interface MemberChanged {
  readonly event: 'member';
  readonly action: 'added' | 'edited' | 'removed';
  readonly memberId: number;
  readonly actorId: number | null;
  /** The new and the old permission of the member. */
  readonly permission?: { readonly from: GrantedPermission | null; readonly to: GrantedPermission };
}

export function isAppEvent(domainEvent: DomainEvent): domainEvent is AppEvent {
  return domainEvent.event === 'installation' || domainEvent.event === 'installation_repositories';
}

export function actionOf(domainEvent: DomainEvent): string | null {
  return 'action' in domainEvent ? domainEvent.action : null;
}

/** The actor; null if unknown. */
export function actorOf(domainEvent: DomainEvent): number | null {
  return domainEvent.event === 'status' ? domainEvent.status.creatorId : domainEvent.actorId;
}

/** The commits that a move added to a branch or tag. */
export interface NewCommits {
  /** Oldest first. For a new branch or tag, those that no other one contained. */
  readonly commits: readonly ObjectId[];
  /** Those of them that another branch or tag already contained. */
  readonly known: readonly ObjectId[];
  /** A branch whose tip is the new value of the ref. */
  readonly baseRef: RefName | null;
}

/** The old values of those fields that an edit has changed; undefined if none has. A blank value is ''. */
export function previousValues<Field extends string>(
  before: Readonly<Record<Field, string | null>>,
  after: Readonly<Record<Field, string | null>>,
  fields: readonly Field[],
): PreviousValues | undefined {
  const changed = fields.filter((field) => before[field] !== after[field]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((field) => [field, { from: before[field] ?? '' }]));
}
