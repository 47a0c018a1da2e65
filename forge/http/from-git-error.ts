import { PasswordsBusy } from '#platform/password.ts';
import { WorkPendingError } from '#platform/pending-work.ts';
import {
  storageFailure,
  type StorageFailure,
  storageSentences,
} from '#platform/storage-failure.ts';

import { type Refusal, RefusalError } from '../errors/api-error.ts';
import { GitError } from '../git/git-error.ts';

/** Temporary failures and exceeded limits are neither bugs nor errors of the request. */
export function refusalOfError(error: unknown): Refusal | undefined {
  if (error instanceof PasswordsBusy) return { kind: 'unavailable', message: error.message };
  if (error instanceof WorkPendingError) return recovering;
  if (error instanceof GitRefusal && error.retryAfterSeconds !== undefined) {
    const { status, message, retryAfterSeconds } = error;
    return status === 429
      ? { kind: 'abuse-limited', about: 'concurrency', retryAfterSeconds }
      : { kind: 'unavailable', message, retryAfterSeconds };
  }
  if (error instanceof GitError) return refusalOfGit(error);
  const failure = storageFailure(error);
  return failure && refusalOfStorage(failure);
}

/** Whether the failure is temporary: background work is then retried until it succeeds. */
export function isTemporary(error: unknown): boolean {
  const refusal = error instanceof RefusalError ? error.refusal : refusalOfError(error);
  return refusal?.kind === 'unavailable' || refusal?.kind === 'insufficient-storage';
}

/** After a crash, until refs and rows of the repository agree and its files are in order. */
const recovering: Refusal = {
  kind: 'unavailable',
  message: 'The repository is being recovered after a crash. Try again later.',
};

function refusalOfStorage(failure: StorageFailure): Refusal {
  const message = storageSentences[failure];
  switch (failure) {
    case 'disk-full':
      return { kind: 'insufficient-storage', message };
    case 'unavailable':
      return { kind: 'unavailable', message };
  }
}

function refusalOfGit(error: GitError): Refusal | undefined {
  switch (error.kind) {
    case 'unavailable':
    case 'other-shard':
      return {
        kind: 'unavailable',
        message: 'The git service is restarting. Try again later.',
      };
    case 'recovering':
      return recovering;
    case 'moving':
      return {
        kind: 'unavailable',
        message: 'The repository is being moved. Try again later.',
      };
    case 'busy':
      return {
        kind: 'unavailable',
        message: 'Concurrent changes to the repository. Try again later.',
      };
    case 'limit':
      return { kind: 'git-limit' };
    case 'diff-limit':
      return {
        kind: 'diff-too-large',
        message: 'Sorry, this diff is taking too long to generate, or is too large.',
      };
    case 'disk-full':
      return refusalOfStorage('disk-full');
    case 'missing-repository':
    case 'missing-object':
    case 'not-durable':
    case 'failed':
      return undefined;
  }
}

interface RefusalDetails {
  readonly location?: string;
  readonly retryAfterSeconds?: number;
}

/** A refusal for a git client, which shows its user the status and sometimes the text. */
export class GitRefusal extends Error {
  override readonly name = 'GitRefusal';
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.location = details.location;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
