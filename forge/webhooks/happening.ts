import type { GrantedPermission } from '../access/permission.ts';
import type { ObjectId, RefName } from '../git/names.ts';
import type { Comment } from '../issues/comment.ts';
import type { CommitStatus } from '../statuses/commit-status.ts';
import type { NewCommits } from './new-commits.ts';

/**
 * What happened in a repository, in as few words as its payload can be made of later: the transaction it happens in
 * pays for no more.
 */
export type Happening =
  | { readonly event: 'ping'; readonly actorId: number | null }
  | { readonly event: 'status'; readonly status: CommitStatus }
  | RefHappening
  | PullHappening
  | IssueChanged
  | CommentChanged
  | ReviewChanged
  | RepositoryChanged
  | MemberChanged
  | { readonly event: 'fork'; readonly forkId: number; readonly actorId: number | null };

export interface RefHappening {
  readonly event: 'push' | 'create' | 'delete';
  readonly ref: RefName;
  readonly before: ObjectId;
  readonly after: ObjectId;
  readonly actorId: number | null;
  /** `push`: what it brought, where that was found out when the ref moved (webhooks/new-commits.ts). */
  readonly newCommits?: NewCommits | undefined;
}

export interface PullHappening {
  readonly event: 'pull_request';
  readonly action:
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
}

/** What was there before, for those that are told of an edit. */
export type WordsBefore = {
  readonly title?: { readonly from: string };
  readonly body?: { readonly from: string };
};

export interface IssueChanged {
  readonly event: 'issues';
  readonly action: 'opened' | 'edited' | 'closed' | 'reopened';
  readonly issueId: number;
  readonly actorId: number | null;
  readonly changes?: WordsBefore;
}

export interface CommentChanged {
  readonly event: 'issue_comment';
  readonly action: 'created' | 'edited' | 'deleted';
  readonly issueId: number;
  readonly commentId: number;
  readonly actorId: number | null;
  readonly changes?: WordsBefore;
  /** `deleted`: the comment that nobody finds any more. */
  readonly last?: Comment;
}

export interface ReviewChanged {
  readonly event: 'pull_request_review';
  readonly action: 'submitted' | 'edited' | 'dismissed';
  readonly pullId: number;
  readonly reviewId: number;
  readonly actorId: number | null;
  readonly changes?: WordsBefore;
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

export function actionOf(happening: Happening): string | null {
  return 'action' in happening ? happening.action : null;
}

/** Who did it; null where nobody in particular is known. */
export function actorOf(happening: Happening): number | null {
  return happening.event === 'status' ? happening.status.creatorId : happening.actorId;
}
