import type { Account } from '../../model/account.ts';
import type { Comment } from '../../model/comment.ts';
import type { Commit, ObjectType } from '../../git/git.ts';
import type { ObjectId, RefName } from '../../git/names.ts';
import type { Issue } from '../../model/issue.ts';
import type { Label } from '../../model/label.ts';
import type { Milestone } from '../../model/milestone.ts';
import type { Permission } from '../../model/permission.ts';
import type { Pull } from '../../model/pull.ts';
import type { Release } from '../../model/release.ts';
import type { Repository } from '../../model/repository.ts';
import type { Review } from '../../model/review.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import type { Team } from '../../model/team.ts';

/** What resolvers get: a domain value, and for what is in a repository also that repository as its caller sees it. */
export interface RepositorySource {
  readonly typeName: 'Repository';
  readonly repository: Repository;
  readonly permission: Permission;
}

export interface AccountSource {
  readonly typeName: 'User' | 'Organization' | 'Bot';
  readonly account: Account;
}

export interface TeamSource {
  readonly typeName: 'Team';
  readonly team: Team;
}

interface InRepository {
  readonly at: RepositorySource;
}

export interface RefSource extends InRepository {
  readonly typeName: 'Ref';
  readonly name: RefName;
  readonly id: ObjectId;
  readonly type: ObjectType;
}

export interface CommitSource extends InRepository {
  readonly typeName: 'Commit';
  readonly commit: Commit;
}

/** A tag, a tree or a blob. */
export interface ObjectSource extends InRepository {
  readonly typeName: 'Tag' | 'Tree' | 'Blob';
  readonly id: ObjectId;
  readonly size: number;
}

export interface PullSource extends InRepository {
  readonly typeName: 'PullRequest';
  readonly pull: Pull;
}

export interface IssueSource extends InRepository {
  readonly typeName: 'Issue';
  readonly issue: Issue;
}

export interface LabelSource extends InRepository {
  readonly typeName: 'Label';
  readonly label: Label;
}

export interface MilestoneSource extends InRepository {
  readonly typeName: 'Milestone';
  readonly milestone: Milestone;
}

export interface ReleaseSource extends InRepository {
  readonly typeName: 'Release';
  readonly release: Release;
  readonly isLatest: boolean;
}

export interface CommentSource extends InRepository {
  readonly typeName: 'IssueComment';
  readonly comment: Comment;
}

export interface ReviewSource extends InRepository {
  readonly typeName: 'PullRequestReview';
  readonly review: Review;
  readonly pull: Pull;
}

export interface ReviewCommentSource extends InRepository {
  readonly typeName: 'PullRequestReviewComment';
  readonly comment: ReviewComment;
  readonly pull: Pull;
}

/** A comment on lines, with its answers. */
export interface ThreadSource extends InRepository {
  readonly typeName: 'PullRequestReviewThread';
  readonly pull: Pull;
  readonly comments: readonly [ReviewComment, ...ReviewComment[]];
}

const accountTypes = { user: 'User', organization: 'Organization', bot: 'Bot' } as const;

export function accountSource(account: Account): AccountSource {
  return { typeName: accountTypes[account.kind], account };
}

/** What a global id can name. */
export type NodeSource =
  | RepositorySource
  | AccountSource
  | TeamSource
  | RefSource
  | CommitSource
  | ObjectSource
  | PullSource
  | IssueSource
  | LabelSource
  | MilestoneSource
  | ReleaseSource
  | CommentSource
  | ReviewSource
  | ReviewCommentSource
  | ThreadSource;

/** Those of the sources whose type can have one of these names. */
type Named<Source extends NodeSource, Name> = Source extends { readonly typeName: infer Own }
  ? [Extract<Own, Name>] extends [never]
    ? never
    : Source
  : never;

export type NodeOf<Name extends NodeSource['typeName']> = Named<NodeSource, Name>;

export function isNodeOf<Name extends NodeSource['typeName']>(
  source: NodeSource,
  names: readonly Name[],
): source is NodeOf<Name> {
  return names.some((name) => name === source.typeName);
}
