import { invalid } from '../errors/api-error.ts';
import type { ObjectId } from '../git/names.ts';
import { bodyCharactersMax } from './pull-text.ts';
import type { Side } from './diff-lines.ts';
import type { Minimizable } from './minimized.ts';

/** A comment on lines of a pull's diff, always part of a review. */
export interface ReviewComment extends Minimizable {
  readonly id: number;
  readonly reviewId: number;
  readonly pullId: number;
  readonly authorId: number;
  /** The comment that began the thread. */
  readonly replyToId: number | null;
  readonly body: string;
  /** Set for the first comment of a resolved thread; `byId` is null once the account is gone. */
  readonly resolved: { readonly byId: number | null } | undefined;
  /** Where it was written. */
  readonly position: DiffPosition;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Lines of the diff that a commit shows against where it parted from the base. */
export interface DiffPosition {
  readonly path: string;
  /** The path on the left side, which differs for renamed files. */
  readonly leftPath: string;
  readonly commitSha: ObjectId;
  readonly mergeBaseSha: ObjectId | null;
  readonly side: Side;
  readonly line: number;
  /** Set for comments on several lines. */
  readonly start: { readonly side: Side; readonly line: number } | null;
  /** Lines below the first `@@` of the file. */
  readonly position: number;
  /** From the `@@` down to the line. */
  readonly diffHunk: string;
}

export const resource = 'PullRequestReviewComment';

/** Refuses a comment that says nothing, or too much. */
export function checkReviewCommentBody(body: string): void {
  if (body.trim() === '') invalid({ resource, code: 'missing_field', field: 'body' });
  if (body.length > bodyCharactersMax) {
    const message = `body is too long (maximum is ${bodyCharactersMax} characters)`;
    invalid({ resource, code: 'custom', field: 'body', message });
  }
}
