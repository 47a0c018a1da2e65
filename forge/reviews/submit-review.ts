import { type FieldError, invalid } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import { type ObjectId, parseObjectId } from '../git/names.ts';
import { bodyCharactersMax } from '../model/pull-text.ts';
import type { Pull } from '../model/pull.ts';
import type { ReviewEvent } from '../model/review.ts';

/** Refuses an event that this author may not use, or that lacks a body. */
export function checkReviewDecision(
  pull: Pull,
  authorId: number,
  event: ReviewEvent,
  body: string,
  comments: number,
): void {
  if (authorId === pull.authorId && event === 'APPROVE') {
    invalid(custom('event', 'Can not approve your own pull request'));
  }
  if (authorId === pull.authorId && event === 'REQUEST_CHANGES') {
    invalid(custom('event', 'Can not request changes on your own pull request'));
  }
  // Comments on lines replace the body.
  if (event !== 'APPROVE' && body.trim() === '' && comments === 0) {
    invalid({ resource: 'PullRequestReview', field: 'body', code: 'missing_field' });
  }
}

export function checkReviewBody(body: string): void {
  if (body.length > bodyCharactersMax) {
    invalid(custom('body', `body is too long (maximum is ${bodyCharactersMax} characters)`));
  }
}

export function custom(field: string, message: string): FieldError {
  return { resource: 'PullRequestReview', field, code: 'custom', message };
}

/** The head, unless an older commit of it is named. */
export async function reviewedCommit(
  git: GitRepository,
  pull: Pull,
  named: string | undefined,
  resource: string,
): Promise<ObjectId> {
  if (named === undefined) return pull.head.sha;
  const sha = parseObjectId(named);
  const known = sha && (await git.readCommit(sha)) && (await git.isAncestor(sha, pull.head.sha));
  if (sha && known) return sha;
  const message = 'commit_id is not part of the pull request';
  return invalid({ value: named, resource, field: 'commit_id', code: 'custom', message });
}
