import { PasswordsBusy } from '#platform/password.ts';

import { GitError } from '../git/git-error.ts';
import type { Refusal } from './refusal.ts';

/** What cannot be done now, or not within the limits, is no fault of ours and none of the request's words. */
export function refusalOfError(error: unknown): Refusal | undefined {
  if (error instanceof PasswordsBusy) return { kind: 'unavailable', message: error.message };
  return error instanceof GitError ? refusalOfGit(error) : undefined;
}

function refusalOfGit(error: GitError): Refusal | undefined {
  switch (error.kind) {
    case 'unavailable':
      return {
        kind: 'unavailable',
        message: 'The git service is being restarted. Try again soon.',
      };
    case 'busy':
      return {
        kind: 'unavailable',
        message: 'The repository is being changed by others. Try again soon.',
      };
    case 'limit':
      return {
        kind: 'diff-too-large',
        message: 'Sorry, this takes git longer, or comes out larger, than this server allows.',
      };
    case 'missing-repository':
    case 'missing-object':
    case 'not-durable':
    case 'failed':
      return undefined;
  }
}
