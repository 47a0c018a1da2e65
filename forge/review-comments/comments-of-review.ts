import Type, { type Static } from 'typebox';

import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Pull } from '../model/pull.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { validatePosition, commentableDiff } from './validate-position.ts';
import { diffPositionProperties, readDiffPosition } from './diff-position-input.ts';
import { insertReviewComment } from './review-comment-store.ts';
import { checkReviewCommentBody, type CommentPlace } from '../model/review-comment.ts';
import { keepCommented } from './write-review-comment.ts';

/** Comments that come with a review. */
export const commentsMax = 500;

export const reviewCommentBody = Type.Object({
  path: Type.String(),
  body: Type.String(),
  ...diffPositionProperties,
});

interface PlacedComment {
  readonly body: string;
  readonly place: CommentPlace;
}

/** The comments of a review with their places in the diff of its commit, or a refusal: all or none. */
export async function checkReviewComments(
  git: GitRepository,
  pull: Pull,
  commitSha: ObjectId,
  wishes: readonly Static<typeof reviewCommentBody>[],
): Promise<readonly PlacedComment[]> {
  if (wishes.length === 0) return [];
  const diff = await commentableDiff(git, pull, commitSha);
  const placed = wishes.map((wish) => {
    checkReviewCommentBody(wish.body);
    return { body: wish.body, place: validatePosition(diff, wish.path, readDiffPosition(wish)) };
  });
  await keepCommented(git, commitSha);
  return placed;
}

export async function insertReviewComments(
  sql: RepositoryWrite,
  review: {
    readonly reviewId: number;
    readonly pull: Pull;
    readonly authorId: number;
    readonly comments: readonly PlacedComment[];
    readonly now: number;
  },
): Promise<void> {
  const { comments, ...shared } = review;
  for (const { body, place } of comments) {
    await insertReviewComment(sql, { ...shared, replyToId: null, body, place });
  }
}
