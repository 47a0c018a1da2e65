import type { Sql } from '#platform/database/database.ts';

import type { UserCaller } from '../model/caller.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import { findComment, insertComment } from './comment-store.ts';
import type { Comment } from '../model/comment.ts';
import { findIssue } from './issue-store.ts';
import type { IssueChange } from '../model/issue.ts';

/**
 * Adds a comment; `describe` reads it in the same transaction, because it may be elsewhere after that. In a locked conversation this
 * requires push permission.
 */
export async function writeComment<T>(
  { database }: Pick<Ports, 'database'>,
  { repository, permission }: RepositoryAccess,
  request: {
    readonly caller: UserCaller;
    readonly number: number;
    readonly body: string;
    now: number;
  },
  describe: (sql: Sql, id: number) => Promise<T>,
): Promise<T> {
  const { caller, number, body, now } = request;
  const actorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const issue = await findIssue(sql, repository.id, number);
    if (!issue) return notFound();
    if (issue.locked && !atLeast(permission, 'write')) {
      refuse({
        kind: 'forbidden',
        message: 'Unable to create comment because issue is locked.',
      });
    }
    const change = { issueId: issue.id, repositoryId: repository.id, actorId, now };
    return describe(sql, await insertComment(sql, change, body));
  });
}

/** Runs a change of a comment, for its author or a user with push permission. */
export async function changeComment<T>(
  { database }: Pick<Ports, 'database'>,
  { repository, permission }: RepositoryAccess,
  request: {
    readonly path: { readonly comment_id: number };
    readonly caller: UserCaller;
    readonly now: number;
  },
  change: (sql: RepositoryWrite, comment: Comment, change: IssueChange) => Promise<T>,
): Promise<T> {
  const { caller, path, now } = request;
  const actorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const comment = await findComment(sql, repository.id, path.comment_id);
    if (!comment) return notFound();
    refuseCommentChange(comment, actorId, permission);
    const { id: issueId } = comment.issue;
    return change(sql, comment, { issueId, repositoryId: repository.id, actorId, now });
  });
}

/** A comment of an issue or on a line may be changed by its author and by users with push permission. */
export function refuseCommentChange(
  comment: { readonly authorId: number },
  actorId: number,
  permission: Permission,
): void {
  if (comment.authorId === actorId || atLeast(permission, 'write')) return;
  refuse({
    kind: 'forbidden',
    message: 'Must be the author of the comment or have push access to Repository.',
  });
}
