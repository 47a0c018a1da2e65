import { type MinimizedReason, minimizedReasons } from '../../model/minimized.ts';
import { minimizeComment } from '../../review-comments/minimize-comment.ts';
import { textArgument } from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { nodeOf } from './node-fields.ts';
import type { CommentSource, ReviewCommentSource, ReviewSource } from './sources.ts';

type MinimizableSource = CommentSource | ReviewCommentSource | ReviewSource;

/** The operations of REST that change the same. */
const operations = {
  IssueComment: 'issues/update-comment',
  PullRequestReview: 'pulls/update-review',
  PullRequestReviewComment: 'pulls/update-review-comment',
} as const;

async function minimize(
  id: string,
  reason: MinimizedReason | null,
  context: GraphqlContext,
): Promise<MinimizableSource> {
  const types = ['IssueComment', 'PullRequestReview', 'PullRequestReviewComment'] as const;
  const found = await nodeOf(id, types, context);
  if (found.typeName === 'PullRequestReview' && found.review.state === 'PENDING') {
    return failField('UNPROCESSABLE', 'A pending review cannot be hidden.');
  }
  const { id: repositoryId } = found.at.repository;
  await context.access({ id: repositoryId }, operations[found.typeName]);
  await minimizeComment(context.ports, {
    repositoryId,
    type: found.typeName,
    id: found.typeName === 'PullRequestReview' ? found.review.id : found.comment.id,
    reason,
    caller: context.request.caller,
  });
  context.forget();
  return nodeOf(id, types, context);
}

export const minimizeMutations: Mutations = {
  async minimizeComment(input, context) {
    const classifier = textArgument(input, 'classifier');
    const reason = Object.entries(minimizedReasons).find(([name]) => name === classifier)?.[1];
    if (!reason) return failField('UNPROCESSABLE', `${classifier} is not a reason.`);
    return { minimizedComment: await minimize(textArgument(input, 'subjectId'), reason, context) };
  },
  async unminimizeComment(input, context) {
    return { unminimizedComment: await minimize(textArgument(input, 'subjectId'), null, context) };
  },
};
