import type { GrantedPermission } from './permission.ts';
import type { ObjectId, RefName } from '../git/names.ts';
import type { Comment } from './comment.ts';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';
import type { ReviewComment } from './review-comment.ts';
import type { CommitStatus } from './commit-status.ts';
/**
 * What happened in a repository, in as few words as its payload can be made of later: the transaction it happens in
 * pays for no more.
 */
export type DomainEvent =
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
  | RepositoryChanged
  | MemberChanged
  | { readonly event: 'fork'; readonly forkId: number; readonly actorId: number | null };

export interface RefEvent {
  readonly event: 'push' | 'create' | 'delete';
  readonly ref: RefName;
  readonly before: ObjectId;
  readonly after: ObjectId;
  readonly actorId: number | null;
  /** `push`: what it brought, where that was found out when the ref moved (ref-updates/new-commits.ts). */
  readonly newCommits?: NewCommits | undefined;
}

/** What an issue or pull is given and loses, in the words of the events of its timeline. */
export type AttributeAction =
  | 'labeled'
  | 'unlabeled'
  | 'assigned'
  | 'unassigned'
  | 'milestoned'
  | 'demilestoned'
  | 'locked'
  | 'unlocked';

/** What an action is about: labels and milestones as they were, since they may be gone when it is told. */
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
  /** `edited`: what was there before. */
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

/** What was there before, for those that are told of an edit. */
export type PreviousText = {
  readonly title?: { readonly from: string };
  readonly body?: { readonly from: string };
};

export interface IssueChanged {
  readonly event: 'issues';
  readonly action: AttributeAction | 'opened' | 'edited' | 'closed' | 'reopened';
  readonly issueId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousText;
  readonly about?: ActionTarget;
}

export interface CommentChanged {
  readonly event: 'issue_comment';
  readonly action: 'created' | 'edited' | 'deleted';
  readonly issueId: number;
  readonly commentId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousText;
  /** `deleted`: the comment that nobody finds any more. */
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

/** A comment on a line of a pull. Those of drafts are nobody's business. */
export interface ReviewCommentChanged {
  readonly event: 'pull_request_review_comment';
  readonly action: 'created' | 'edited' | 'deleted';
  readonly pullId: number;
  readonly commentId: number;
  readonly actorId: number | null;
  readonly changes?: PreviousText;
  /** `deleted`: the comment that nobody finds any more. */
  readonly last?: ReviewComment;
}

/** What was there before, of each member that was edited. */
export type PreviousValues = Readonly<Record<string, { readonly from: string }>>;

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
  /** `edited`: what was there before. */
  readonly changes?: Readonly<Record<string, { readonly from: string | readonly string[] | null }>>;
}

export interface MemberChanged {
  readonly event: 'member';
  readonly action: 'added' | 'edited' | 'removed';
  readonly memberId: number;
  readonly actorId: number | null;
  /** What the member may do from now on, and could do before. */
  readonly permission?: { readonly from: GrantedPermission | null; readonly to: GrantedPermission };
}

export function actionOf(domainEvent: DomainEvent): string | null {
  return 'action' in domainEvent ? domainEvent.action : null;
}

/** Who did it; null where nobody in particular is known. */
export function actorOf(domainEvent: DomainEvent): number | null {
  return domainEvent.event === 'status' ? domainEvent.status.creatorId : domainEvent.actorId;
}

/** The commits that a branch or tag got by a move. */
export interface NewCommits {
  /** Oldest first. Of a new branch or tag, those that no other one had. */
  readonly commits: readonly ObjectId[];
  /** Those of them that another branch or tag had before. */
  readonly known: readonly ObjectId[];
  /** A branch that stands where the ref has come to. */
  readonly baseRef: RefName | null;
}
