import type { UserCaller } from '../model/caller.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import { notFound } from '../errors/api-error.ts';
import { refuseCommentChange } from '../issues/change-comment.ts';
import { touchIssue } from '../issues/issue-change-store.ts';
import type { Ports } from '../ports/ports.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import { emitReviewCommentEvent } from './emit-review-event.ts';
import type { ReviewCommentChanged } from '../model/domain-event.ts';
import { findReviewComment } from './review-comment-store.ts';
import type { ReviewComment } from '../model/review-comment.ts';

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
