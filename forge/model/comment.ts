import { invalid } from '../errors/api-error.ts';
import { bodyCharactersMax } from './pull-text.ts';
import type { Issue } from './issue.ts';
import type { Minimizable } from './minimized.ts';

/** A comment on an issue or pull. */
export interface Comment extends Minimizable {
  readonly id: number;
  readonly issue: Pick<Issue, 'id' | 'number' | 'pull'>;
  readonly authorId: number;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Refuses an empty comment and one that is too long, the latter with GitHub's message for comments. */
export function checkCommentBody(body: string): void {
  if (body.trim() === '') {
    invalid({ resource: 'IssueComment', code: 'missing_field', field: 'body' });
  }
  if (body.length > bodyCharactersMax) {
    invalid({
      resource: 'IssueComment',
      code: 'unprocessable',
      field: 'data',
      message: `Body is too long (maximum is ${bodyCharactersMax} characters)`,
    });
  }
}
