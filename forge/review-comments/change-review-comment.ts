import type { Sql } from '#platform/database/database.ts';

import { invalid, notFound, refuse } from '../errors/api-error.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import type { GitRepository } from '../git/git.ts';
import { commentedRef, type ObjectId } from '../git/names.ts';
import { refuseCommentChange } from '../issues/change-comment.ts';
import { touchIssue } from '../issues/issue-change-store.ts';
import type { UserCaller } from '../model/caller.ts';
import type { ReviewCommentChanged } from '../model/domain-event.ts';
import { atLeast } from '../model/permission.ts';
import type { Pull } from '../model/pull.ts';
import { type DiffPosition, resource, type ReviewComment } from '../model/review-comment.ts';
import type { Ports } from '../ports/ports.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import { getPull } from '../reviews/change-review.ts';
import { clearReviewRequests } from '../reviews/review-request-store.ts';
import { insertReview } from '../reviews/review-store.ts';
import { emitSubmittedReview, emitReviewCommentEvent } from './emit-review-event.ts';
import {
  addReviewComments,
  findReviewComment,
  insertReviewComment,
} from './review-comment-store.ts';

export interface WriteReviewCommentInput {
  readonly caller: UserCaller;
  readonly pullNumber: number;
  readonly body: string;
  readonly now: number;
  /** Its position, or the id of the comment it replies to. */
  readonly on: { readonly position: DiffPosition } | { readonly replyTo: number };
}

/** Creates a comment on a line or a reply, in a review of its own. Returns the comment's id. */
export async function writeReviewComment(
  { database }: Pick<Ports, 'database'>,
  { repository, permission }: RepositoryAccess,
  { caller, pullNumber, body, now, on }: WriteReviewCommentInput,
): Promise<number> {
  const authorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const pull = await getPull(sql, repository, pullNumber);
    if (pull.locked && !atLeast(permission, 'write')) {
      const message = 'Unable to create comment because the pull is locked.';
      refuse({ kind: 'forbidden', message });
    }
    const repliedTo = 'replyTo' in on ? await threadOf(sql, pull, on.replyTo) : undefined;
    const position = 'position' in on ? on.position : (repliedTo?.position ?? notFound());
    const reviewId = await insertReview(sql, repository.id, {
      pullId: pull.id,
      authorId,
      body: '',
      state: 'COMMENTED',
      commitSha: position.commitSha,
      submittedAt: now,
    });
    const replyToId = repliedTo?.id ?? null;
    const comment = { reviewId, pull, authorId, replyToId, body, position, now };
    const id = await insertReviewComment(sql, comment);
    await clearReviewRequests(sql, pull.id, authorId);
    await addReviewComments(sql, pull.id, 1);
    const { id: issueId, repositoryId } = pull;
    await touchIssue(sql, { issueId, repositoryId, actorId: authorId, now });
    await emitSubmittedReview(sql, pull, { reviewId, actorId: authorId }, now);
    return id;
  });
}

/** Protects a commented commit from pruning, because current positions are computed from it even if its branch is deleted. */
export async function pinCommentedCommit(git: GitRepository, commitSha: ObjectId): Promise<void> {
  await git.updateRefs([{ ref: commentedRef(commitSha), old: undefined, new: commitSha }]);
}

/** The first comment of the thread, to which replies to replies are attached. */
async function threadOf(sql: Sql, pull: Pull, id: number): Promise<ReviewComment> {
  const repliedTo = await findReviewComment(sql, pull.repositoryId, id);
  if (repliedTo?.pullId !== pull.id) {
    const message = 'in_reply_to is not a review comment of this pull request';
    return invalid({ value: id, resource, field: 'in_reply_to', code: 'custom', message });
  }
  if (repliedTo.replyToId === null) return repliedTo;
  return (await findReviewComment(sql, pull.repositoryId, repliedTo.replyToId)) ?? repliedTo;
}

/** The event for webhooks. */
type CommentChange = Pick<ReviewCommentChanged, 'action' | 'changes' | 'last'>;

/** Runs a change of a comment, for its author or a user with push permission. */
export async function changeReviewComment(
  { database }: Pick<Ports, 'database'>,
  { repository, permission }: RepositoryAccess,
  request: {
    readonly path: { readonly comment_id: number };
    readonly caller: UserCaller;
    readonly now: number;
  },
  change: (sql: RepositoryWrite, comment: ReviewComment) => Promise<CommentChange | undefined>,
): Promise<void> {
  const { caller, path, now } = request;
  const actorId = caller.account.id;
  await writeRepository(database, repository.id, async (sql) => {
    const comment = await findReviewComment(sql, repository.id, path.comment_id);
    if (!comment) return notFound();
    refuseCommentChange(comment, actorId, permission);
    const { id: repositoryId } = repository;
    const changed = await change(sql, comment);
    if (changed) {
      const pull = { id: comment.pullId, repositoryId };
      const event = { commentId: comment.id, actorId, ...changed };
      await emitReviewCommentEvent(sql, pull, event, now);
    }
    return touchIssue(sql, { issueId: comment.pullId, repositoryId, actorId, now });
  });
}
