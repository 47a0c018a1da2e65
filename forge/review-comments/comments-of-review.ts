import Type, { type Static } from 'typebox';

import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Pull } from '../model/pull.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { validatePosition, commentableDiff } from './validate-position.ts';
import { diffPositionProperties, readDiffPosition } from './diff-position-input.ts';
import { insertReviewComment } from './review-comment-store.ts';
import { checkReviewCommentBody, type DiffPosition } from '../model/review-comment.ts';
import { pinCommentedCommit } from './change-review-comment.ts';

/** Comments in a request that creates a review. */
export const commentsMax = 500;

export const reviewCommentBody = Type.Object({
  path: Type.String(),
  body: Type.String(),
  ...diffPositionProperties,
});

interface PositionedComment {
  readonly body: string;
  readonly position: DiffPosition;
}

/** The comments of a review with their positions in the diff of its commit, or a refusal of all of them. */
export async function checkReviewComments(
  git: GitRepository,
  pull: Pull,
  commitSha: ObjectId,
  inputs: readonly Static<typeof reviewCommentBody>[],
): Promise<readonly PositionedComment[]> {
  if (inputs.length === 0) return [];
  const diff = await commentableDiff(git, pull, commitSha);
  const positioned = inputs.map((input) => {
    checkReviewCommentBody(input.body);
    return {
      body: input.body,
      position: validatePosition(diff, input.path, readDiffPosition(input)),
    };
  });
  await pinCommentedCommit(git, commitSha);
  return positioned;
}

export async function insertReviewComments(
  sql: RepositoryWrite,
  review: {
    readonly reviewId: number;
    readonly pull: Pull;
    readonly authorId: number;
    readonly comments: readonly PositionedComment[];
    readonly now: number;
  },
): Promise<void> {
  const { comments, ...shared } = review;
  for (const { body, position } of comments) {
    await insertReviewComment(sql, { ...shared, replyToId: null, body, position });
  }
}
