import { addPendingComment } from '../../review-comments/pending-comment.ts';
import { resolveThread } from '../../review-comments/resolve-thread.ts';
import {
  type Arguments,
  objects,
  optionalInteger,
  optionalText,
  textArgument,
} from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import { given } from './attribute-inputs.ts';
import type { GraphqlContext, Mutations, OperationCall } from './context.ts';
import { idOfCreated, nodeOf } from './node-fields.ts';
import { nodeId } from '../../json/node-id.ts';
import type { PullSource, ReviewCommentSource, ReviewSource, ThreadSource } from './sources.ts';

function reviewOf(input: Arguments, context: GraphqlContext): Promise<ReviewSource> {
  return nodeOf(textArgument(input, 'pullRequestReviewId'), ['PullRequestReview'], context);
}

function callOn({ at, pull, review }: ReviewSource): OperationCall {
  return {
    repositoryId: at.repository.id,
    path: { pull_number: pull.number, review_id: review.id },
  };
}

/** The review of an input by its own id, or the caller's pending one of the pull that the input names. */
async function pendingReview(input: Arguments, context: GraphqlContext): Promise<ReviewSource> {
  if (optionalText(input, 'pullRequestReviewId') !== undefined) return reviewOf(input, context);
  const { at, pull } = await pullOf(input, context);
  const reviews = await context.loaders.reviewsOf(pull.id);
  const review = reviews.find(({ state }) => state === 'PENDING');
  if (review) return { typeName: 'PullRequestReview', at, pull, review };
  const { login } = context.request.caller.account;
  return failField('UNPROCESSABLE', `${login} has no pending review of this pull request.`);
}

/** The pull of an input that names none of its reviews. */
async function pullOf(input: Arguments, context: GraphqlContext): Promise<PullSource> {
  const id = optionalText(input, 'pullRequestId');
  if (id === undefined) {
    return failField('UNPROCESSABLE', 'pullRequestReviewId or pullRequestId must be given.');
  }
  return nodeOf(id, ['PullRequest'], context);
}

async function changeReview(
  operation: string,
  review: ReviewSource,
  body: Readonly<Record<string, unknown>>,
  context: GraphqlContext,
): Promise<{ pullRequestReview: ReviewSource }> {
  await context.perform(operation, { ...callOn(review), body });
  const id = nodeId('PullRequestReview', review.review.id);
  return { pullRequestReview: await nodeOf(id, ['PullRequestReview'], context) };
}

export const reviewMutations: Mutations = {
  async addPullRequestReview(input, context) {
    const { at, pull } = await nodeOf(
      textArgument(input, 'pullRequestId'),
      ['PullRequest'],
      context,
    );
    const event = optionalText(input, 'event');
    if (event === 'DISMISS') failField('UNPROCESSABLE', 'A new review cannot be dismissed.');
    const comments = [
      ...objects(input, 'comments').map((comment) =>
        given(comment, { path: 'path', body: 'body', position: 'position' }),
      ),
      ...objects(input, 'threads').map((thread) => given(thread, threadFields)),
    ];
    const created = await context.perform('pulls/create-review', {
      repositoryId: at.repository.id,
      path: { pull_number: pull.number },
      body: { ...given(input, { body: 'body', commitOID: 'commit_id', event: 'event' }), comments },
    });
    const review = await nodeOf(idOfCreated(created), ['PullRequestReview'], context);
    return { pullRequestReview: review };
  },
  async submitPullRequestReview(input, context) {
    const review = await pendingReview(input, context);
    if (textArgument(input, 'event') === 'DISMISS') {
      failField('UNPROCESSABLE', 'A pending review cannot be dismissed. Delete it instead.');
    }
    const body = given(input, { event: 'event', body: 'body' });
    return changeReview('pulls/submit-review', review, body, context);
  },
  updatePullRequestReview: async (input, context) => {
    const body = { body: textArgument(input, 'body') };
    return changeReview('pulls/update-review', await reviewOf(input, context), body, context);
  },
  dismissPullRequestReview: async (input, context) => {
    const body = { message: textArgument(input, 'message') };
    return changeReview('pulls/dismiss-review', await reviewOf(input, context), body, context);
  },
  async deletePullRequestReview(input, context) {
    const review = await reviewOf(input, context);
    await context.perform('pulls/delete-pending-review', callOn(review));
    return { pullRequestReview: review };
  },
  addPullRequestReviewThread,
  async addPullRequestReviewThreadReply(input, context) {
    const id = textArgument(input, 'pullRequestReviewThreadId');
    const { at, pull, comments } = await nodeOf(id, ['PullRequestReviewThread'], context);
    return reply({ at, pull, commentId: comments[0].id }, input, context);
  },
  async addPullRequestReviewComment(input, context) {
    const id = optionalText(input, 'inReplyTo');
    if (id === undefined) {
      return failField(
        'UNPROCESSABLE',
        'Use addPullRequestReviewThread for new comments on lines.',
      );
    }
    const { at, pull, comment } = await nodeOf(id, ['PullRequestReviewComment'], context);
    return reply({ at, pull, commentId: comment.id }, input, context);
  },
  async updatePullRequestReviewComment(input, context) {
    const id = textArgument(input, 'pullRequestReviewCommentId');
    const { at, comment } = await nodeOf(id, ['PullRequestReviewComment'], context);
    await context.perform('pulls/update-review-comment', {
      repositoryId: at.repository.id,
      path: { comment_id: comment.id },
      body: { body: textArgument(input, 'body') },
    });
    return { pullRequestReviewComment: await nodeOf(id, ['PullRequestReviewComment'], context) };
  },
  resolveReviewThread: (input, context) => resolve(input, true, context),
  unresolveReviewThread: (input, context) => resolve(input, false, context),
};

/** Answers the thread of a comment. */
async function reply(
  to: Pick<PullSource, 'at' | 'pull'> & { readonly commentId: number },
  input: Arguments,
  context: GraphqlContext,
): Promise<{ comment: ReviewCommentSource }> {
  const created = await context.perform('pulls/create-reply-for-review-comment', {
    repositoryId: to.at.repository.id,
    path: { pull_number: to.pull.number, comment_id: to.commentId },
    body: { body: optionalText(input, 'body') ?? '' },
  });
  return { comment: await nodeOf(idOfCreated(created), ['PullRequestReviewComment'], context) };
}

const threadFields = {
  path: 'path',
  body: 'body',
  line: 'line',
  side: 'side',
  startLine: 'start_line',
  startSide: 'start_side',
};

/** Begins a thread in the caller's pending review, which it makes if there is none. */
async function addPullRequestReviewThread(
  input: Arguments,
  context: GraphqlContext,
): Promise<{ thread: ThreadSource }> {
  if (
    optionalText(input, 'subjectType') === 'FILE' ||
    optionalInteger(input, 'line') === undefined
  ) {
    failField('UNPROCESSABLE', 'Threads are on lines of a diff: name the line.');
  }
  const review =
    optionalText(input, 'pullRequestReviewId') === undefined
      ? undefined
      : await reviewOf(input, context);
  const { pull, at }: Pick<PullSource, 'at' | 'pull'> = review ?? (await pullOf(input, context));
  const { repository, permission } = await context.access(
    { id: at.repository.id },
    'pulls/create-review',
  );
  const { caller, now } = context.request;
  const id = await addPendingComment(context.ports, {
    access: { repository, permission },
    pull,
    reviewId: review?.review.id,
    caller,
    comment: readComment(input),
    now,
  });
  context.forget();
  const thread = nodeId('PullRequestReviewThread', id);
  return { thread: await nodeOf(thread, ['PullRequestReviewThread'], context) };
}

function readComment(input: Arguments): {
  path: string;
  body: string;
  line: number;
  side?: 'LEFT' | 'RIGHT';
  start_line?: number;
  start_side?: 'LEFT' | 'RIGHT';
} {
  const line = optionalInteger(input, 'line') ?? 0;
  const start = optionalInteger(input, 'startLine');
  const [side, startSide] = [sideOf(input, 'side'), sideOf(input, 'startSide')];
  return {
    path: textArgument(input, 'path'),
    body: textArgument(input, 'body'),
    line,
    ...(side ? { side } : {}),
    ...(start === undefined ? {} : { start_line: start }),
    ...(startSide ? { start_side: startSide } : {}),
  };
}

function sideOf(input: Arguments, name: string): 'LEFT' | 'RIGHT' | undefined {
  const side = optionalText(input, name);
  return side === 'LEFT' || side === 'RIGHT' ? side : undefined;
}

async function resolve(
  input: Arguments,
  resolved: boolean,
  context: GraphqlContext,
): Promise<{ thread: ThreadSource }> {
  const id = textArgument(input, 'threadId');
  const { at, pull, comments } = await nodeOf(id, ['PullRequestReviewThread'], context);
  const { repository, permission } = await context.enter(at.repository.id);
  const { caller, now } = context.request;
  await resolveThread(context.ports, {
    access: { repository, permission },
    pull,
    rootId: comments[0].id,
    caller,
    resolved,
    now,
  });
  context.forget();
  return { thread: await nodeOf(id, ['PullRequestReviewThread'], context) };
}
