import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import type { Pull } from '../../model/pull.ts';
import { atLeast } from '../../model/permission.ts';
import { fullName } from '../../model/repository.ts';
import type { Review } from '../../model/review.ts';
import type { ReviewComment } from '../../model/review-comment.ts';
import type { CurrentPosition } from '../../review-comments/current-positions.ts';
import { mayResolve } from '../../review-comments/resolve-thread.ts';
import type { Arguments } from '../engine/arguments.ts';
import { type Connection, connectList } from '../engine/connection.ts';
import { always, type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import { commentRights, editTime, writtenFields } from './discussion-fields.ts';
import { findCommitSource } from './git-objects.ts';
import { reactionFields } from './reaction-fields.ts';
import type {
  PullSource,
  RepositorySource,
  ReviewCommentSource,
  ReviewSource,
  ThreadSource,
} from './sources.ts';

export function threadsOf(
  { at, pull }: PullSource,
  values: Arguments,
  { loaders }: GraphqlContext,
): Connection<ThreadSource> {
  return connectList(
    'reviewThreads',
    values,
    async () => {
      const comments = await loaders.reviewCommentsOf(pull.id);
      return threadsFrom(comments).map((thread): ThreadSource => ({
        typeName: 'PullRequestReviewThread',
        at,
        pull,
        comments: thread,
      }));
    },
    ({ comments: [root] }) => root.id,
  );
}

/** Answers follow the comment that began the thread. */
export function threadsFrom(
  comments: readonly ReviewComment[],
): (readonly [ReviewComment, ...ReviewComment[]])[] {
  const answers = Map.groupBy(comments, ({ replyToId }) => replyToId);
  return comments.flatMap((root) =>
    root.replyToId === null ? [[root, ...(answers.get(root.id) ?? [])] as const] : [],
  );
}

export function reviewCommentSource(
  at: RepositorySource,
  pull: Pull,
  comment: ReviewComment,
): ReviewCommentSource {
  return { typeName: 'PullRequestReviewComment', at, pull, comment };
}

const threadFields: Fields<ThreadSource> = {
  id: ({ comments: [root] }) => nodeId('PullRequestReviewThread', root.id),
  comments: ({ at, pull, comments }, values) =>
    connectList(
      'comments',
      values,
      async () => comments.map((comment) => reviewCommentSource(at, pull, comment)),
      ({ comment }) => comment.id,
    ),
  path: ({ comments: [root] }) => root.position.path,
  diffSide: ({ comments: [root] }) => root.position.side,
  startDiffSide: ({ comments: [root] }) => root.position.start?.side ?? null,
  originalLine: ({ comments: [root] }) => root.position.line,
  originalStartLine: ({ comments: [root] }) => root.position.start?.line ?? null,
  line: async ({ pull, comments: [root] }, _values, context) =>
    (await positionOf(pull, root, context))?.line ?? null,
  startLine: async ({ pull, comments: [root] }, _values, context) =>
    (await positionOf(pull, root, context))?.startLine ?? null,
  isOutdated: async ({ pull, comments: [root] }, _values, context) =>
    (await positionOf(pull, root, context)) === undefined,
  isCollapsed: ({ comments: [root] }) => root.resolved !== undefined,
  isResolved: ({ comments: [root] }) => root.resolved !== undefined,
  resolvedBy: ({ comments: [root] }, _values, { loaders }) =>
    root.resolved?.byId ? loaders.account(root.resolved.byId) : null,
  subjectType: always('LINE'),
  pullRequest: ({ at, pull }) => ({ typeName: 'PullRequest', at, pull }),
  repository: ({ at }) => at,
  viewerCanReply: ({ at, pull }) => !pull.locked || atLeast(at.permission, 'write'),
  viewerCanResolve: ({ at, pull, comments: [root] }, _values, { request }) =>
    root.resolved === undefined && mayResolve(request.caller, pull, at.permission),
  viewerCanUnresolve: ({ at, pull, comments: [root] }, _values, { request }) =>
    root.resolved !== undefined && mayResolve(request.caller, pull, at.permission),
};

async function positionOf(
  pull: Pull,
  comment: ReviewComment,
  { loaders }: GraphqlContext,
): Promise<CurrentPosition | undefined> {
  return (await loaders.positionsOf(pull)).get(comment.id);
}

const reviewFields: Fields<ReviewSource> = {
  ...writtenFields(
    ({ review, pull }: ReviewSource) => {
      // Reviews have one time, and none before they are submitted.
      const at = review.submittedAt ?? pull.updatedAt;
      return { ...review, createdAt: at, updatedAt: at };
    },
    () => null,
  ),
  ...reactionFields((_source: ReviewSource) => undefined),
  ...commentRights(({ review }: ReviewSource) => review),
  id: ({ review }) => nodeId('PullRequestReview', review.id),
  databaseId: ({ review }) => review.id,
  fullDatabaseId: ({ review }) => String(review.id),
  state: ({ review }) => review.state,
  submittedAt: ({ review }) => timestamp(review.submittedAt),
  publishedAt: ({ review }) => timestamp(review.submittedAt),
  pullRequest: ({ at, pull }) => ({ typeName: 'PullRequest', at, pull }),
  url: (source, _values, context) => reviewUrl(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(reviewUrl(source, context)),
  commit: ({ at, review }, _values, context) => findCommitSource(at, review.commitSha, context),
  authorCanPushToRepository: async ({ at, review }, _values, { loaders }) =>
    (await loaders.pushersOf(at.repository)).has(review.authorId),
  comments: ({ at, pull, review }, values, { loaders }) =>
    connectList(
      'comments',
      values,
      async () => {
        const comments = await loaders.reviewCommentsOf(pull.id);
        return comments
          .filter(({ reviewId }) => reviewId === review.id)
          .map((comment) => reviewCommentSource(at, pull, comment));
      },
      ({ comment }) => comment.id,
    ),
};

function reviewUrl({ at, pull, review }: ReviewSource, { request }: GraphqlContext): string {
  const url = request.urls.pullHtml(fullName(at.repository), pull.number);
  return `${url}#pullrequestreview-${review.id}`;
}

const commentFields: Fields<ReviewCommentSource> = {
  ...writtenFields(
    ({ comment }: ReviewCommentSource) => comment,
    ({ comment }) => editTime(comment),
  ),
  ...reactionFields(({ comment }: ReviewCommentSource) => ({
    kind: 'review_comment',
    id: comment.id,
  })),
  ...commentRights(({ comment }: ReviewCommentSource) => comment),
  id: ({ comment }) => nodeId('PullRequestReviewComment', comment.id),
  databaseId: ({ comment }) => comment.id,
  fullDatabaseId: ({ comment }) => String(comment.id),
  pullRequest: ({ at, pull }) => ({ typeName: 'PullRequest', at, pull }),
  url: (source, _values, context) => commentUrl(source, context),
  resourcePath: (source, _values, context) => pathOfUrl(commentUrl(source, context)),
  diffHunk: ({ comment }) => comment.position.diffHunk,
  path: ({ comment }) => comment.position.path,
  originalLine: ({ comment }) => comment.position.line,
  originalStartLine: ({ comment }) => comment.position.start?.line ?? null,
  originalPosition: ({ comment }) => comment.position.position,
  line: async ({ pull, comment }, _values, context) =>
    (await positionOf(pull, comment, context))?.line ?? null,
  startLine: async ({ pull, comment }, _values, context) =>
    (await positionOf(pull, comment, context))?.startLine ?? null,
  position: async ({ pull, comment }, _values, context) =>
    (await positionOf(pull, comment, context))?.position ?? null,
  outdated: async ({ pull, comment }, _values, context) =>
    (await positionOf(pull, comment, context)) === undefined,
  subjectType: always('LINE'),
  commit: async ({ at, pull, comment }, _values, context) => {
    const present = await positionOf(pull, comment, context);
    return findCommitSource(at, present ? pull.head.sha : comment.position.commitSha, context);
  },
  originalCommit: ({ at, comment }, _values, context) =>
    findCommitSource(at, comment.position.commitSha, context),
  draftedAt: ({ comment }) => timestamp(comment.createdAt),
  state: async (source, _values, context) =>
    (await reviewOf(source, context))?.state === 'PENDING' ? 'PENDING' : 'SUBMITTED',
  pullRequestReview: async (source, _values, context) => {
    const review = await reviewOf(source, context);
    const { at, pull } = source;
    return review ? { typeName: 'PullRequestReview', at, pull, review } : null;
  },
  replyTo: async ({ at, pull, comment }, _values, { loaders }) => {
    if (comment.replyToId === null) return null;
    const comments = await loaders.reviewCommentsOf(pull.id);
    const root = comments.find(({ id }) => id === comment.replyToId);
    return root ? reviewCommentSource(at, pull, root) : null;
  },
};

async function reviewOf(
  { pull, comment }: ReviewCommentSource,
  { loaders }: GraphqlContext,
): Promise<Review | undefined> {
  return (await loaders.reviewsOf(pull.id)).find(({ id }) => id === comment.reviewId);
}

function commentUrl(
  { at, pull, comment }: ReviewCommentSource,
  { request }: GraphqlContext,
): string {
  return `${request.urls.pullHtml(fullName(at.repository), pull.number)}#discussion_r${comment.id}`;
}

export const reviewResolvers: Resolvers = {
  PullRequestReviewThread: threadFields,
  PullRequestReview: reviewFields,
  PullRequestReviewComment: commentFields,
};
