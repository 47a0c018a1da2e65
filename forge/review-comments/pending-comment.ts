import type { Static } from 'typebox';

import { invalid, notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Pull } from '../model/pull.ts';
import type { Ports } from '../ports/ports.ts';
import { findPullById } from '../pulls/pull-store.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import { findReview, insertReview, reviewsOfPulls } from '../reviews/review-store.ts';
import { checkReviewComments, type reviewCommentBody } from './comments-of-review.ts';
import { insertReviewComment } from './review-comment-store.ts';

interface PendingComment {
  readonly access: RepositoryAccess;
  readonly pull: Pull;
  /** undefined: the caller's pending review, which is created if there is none. */
  readonly reviewId: number | undefined;
  readonly caller: UserCaller;
  readonly comment: Static<typeof reviewCommentBody>;
  readonly now: number;
}

/** Adds a comment on lines to a pending review of the caller. Returns its id. */
export async function addPendingComment(
  { database, git }: Pick<Ports, 'database' | 'git'>,
  { access, pull, reviewId, caller, comment, now }: PendingComment,
): Promise<number> {
  const { repository, permission } = access;
  const authorId = caller.account.id;
  const commitSha = pull.head.sha;
  const repositoryGit = git.repository(repository.id);
  const [checked] = await checkReviewComments(repositoryGit, pull, commitSha, [comment]);
  if (!checked) return notFound();
  return writeRepository(database, repository.id, async (sql) => {
    const current = (await findPullById(sql, pull.id)) ?? notFound();
    if (current.locked && !atLeast(permission, 'write')) {
      refuse({ kind: 'forbidden', message: 'Unable to review because the pull is locked.' });
    }
    const own = (await reviewsOfPulls(sql, [pull.id], authorId)).get(pull.id) ?? [];
    const pending =
      reviewId === undefined
        ? own.find(({ state }) => state === 'PENDING')
        : ((await findReview(sql, pull.id, reviewId)) ?? notFound());
    if (pending && (pending.state !== 'PENDING' || pending.authorId !== authorId)) {
      const message = 'Comments can only be added to your own pending review.';
      invalid({ resource: 'PullRequestReview', field: 'state', code: 'custom', message });
    }
    const draft = { pullId: pull.id, authorId, body: '', state: 'PENDING', commitSha } as const;
    const id =
      pending?.id ?? (await insertReview(sql, repository.id, { ...draft, submittedAt: null }));
    const { body, position } = checked;
    return insertReviewComment(sql, {
      reviewId: id,
      pull: current,
      authorId,
      replyToId: null,
      body,
      position,
      now,
    });
  });
}
