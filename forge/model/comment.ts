import { invalid } from '../errors/api-error.ts';
import { bodyCharactersMax } from './pull-text.ts';
import type { Issue } from './issue.ts';

/** What somebody said about an issue or pull. */
export interface Comment {
  readonly id: number;
  readonly issue: Pick<Issue, 'id' | 'number' | 'pull'>;
  readonly authorId: number;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Refuses a comment that says nothing, or too much; the latter in the words that the service has for comments alone. */
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
