import type { Sql } from '#platform/database.ts';

import type { Caller } from '../access/caller.ts';
import { atLeast } from '../access/permission.ts';
import type { RepositoryAccess } from '../access/repository-access.ts';
import { notFound, refuse } from '../conventions/refusal.ts';
import { touchIssue } from '../issues/issue-change-store.ts';
import type { Ports } from '../ports.ts';
import { repositoryLane } from '../repositories/repository.ts';
import { findReviewComment } from './review-comment-store.ts';
import type { ReviewComment } from './review-comment.ts';

/** Runs a change of the comment of this id, for its author and for who may push. */
export async function changeReviewComment(
  { database }: Pick<Ports, 'database'>,
  { repository, permission }: RepositoryAccess,
  request: {
    readonly path: { readonly comment_id: number };
    readonly caller: Caller;
    readonly now: number;
  },
  change: (sql: Sql, comment: ReviewComment) => Promise<void>,
): Promise<void> {
  const { caller, path, now } = request;
  if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
  const actorId = caller.account.id;
  await database.write(
    async (sql) => {
      const comment = await findReviewComment(sql, repository.id, path.comment_id);
      if (!comment) return notFound();
      if (comment.authorId !== actorId && !atLeast(permission, 'write')) {
        refuse({
          kind: 'forbidden',
          message: 'Must be the author of the comment or have push access to Repository.',
        });
      }
      await change(sql, comment);
      const { id: repositoryId } = repository;
      return touchIssue(sql, { issueId: comment.pullId, repositoryId, actorId, now });
    },
    { lane: repositoryLane(repository.id) },
  );
}
