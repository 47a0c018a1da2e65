import type { MergeRefusalReason } from './merge-refusals.ts';

type UnconditionalMergeRefusal = Exclude<MergeRefusalReason, 'branch-protection'>;

/** An expected refusal. Endpoints and domain functions throw it; only error-responses.ts turns it into status and body. */
export type Refusal =
  /** The resource does not exist or is hidden from the caller: the responses must be identical (docs/specification/forge.md 3.7). */
  | { readonly kind: 'not-found'; readonly message?: string }
  /** An issue that was deleted. */
  | { readonly kind: 'gone' }
  /** No endpoint has this path. */
  | { readonly kind: 'no-such-route' }
  | { readonly kind: 'requires-authentication' }
  | { readonly kind: 'bad-credentials' }
  /** The JSON Web Token of a GitHub App. */
  | { readonly kind: 'invalid-jwt'; readonly message: string }
  | { readonly kind: 'query-credentials' }
  | { readonly kind: 'too-many-logins' }
  /** The credentials are right, but a site administrator has suspended their user. */
  | { readonly kind: 'suspended' }
  /** The password is right, but its second factor is missing, wrong or already used. */
  | { readonly kind: 'code-required' }
  | { readonly kind: 'forbidden'; readonly message: string }
  | { readonly kind: 'malformed-request'; readonly message: string }
  | { readonly kind: 'malformed-json' }
  | { readonly kind: 'body-not-object' }
  | { readonly kind: 'body-too-large'; readonly bytesMax: number }
  /** Fields that are missing, of another type, or refused by the model (docs/specification/forge.md 4.3). */
  | { readonly kind: 'validation-failed'; readonly errors: readonly FieldError[] }
  /** A message without `errors`. */
  | { readonly kind: 'unprocessable'; readonly message: string }
  | { readonly kind: 'not-mergeable'; readonly reason: UnconditionalMergeRefusal }
  /** `rule`: the message of the rule of the branch that forbids it. */
  | { readonly kind: 'not-mergeable'; readonly reason: 'branch-protection'; readonly rule: string }
  | { readonly kind: 'conflict'; readonly message: string; readonly errors?: readonly FieldError[] }
  | { readonly kind: 'unsupported-accept'; readonly accept: string }
  | { readonly kind: 'unsupported-media-parameter'; readonly parameter: string }
  | { readonly kind: 'preview-required'; readonly preview: string; readonly feature: string }
  | { readonly kind: 'diff-too-large'; readonly message: string }
  /** git would need more time, memory or output than it gets. */
  | { readonly kind: 'git-limit' }
  | { readonly kind: 'moved'; readonly repositoryId: number }
  /** An issue that was transferred. */
  | { readonly kind: 'issue-moved'; readonly repositoryId: number; readonly number: number }
  | { readonly kind: 'rate-limited'; readonly who: string; readonly anonymous: boolean }
  /** Too many requests at once (secondary rate limit). */
  | {
      readonly kind: 'abuse-limited';
      readonly about: 'creation' | 'concurrency' | 'polling';
      readonly retryAfterSeconds: number;
    }
  | { readonly kind: 'unavailable'; readonly message: string; readonly retryAfterSeconds?: number }
  /** The disk is full. */
  | { readonly kind: 'insufficient-storage'; readonly message: string };

/** The codes of `errors[].code` (docs/specification/forge.md 4.4), and `too_large`. */
export type FieldErrorCode =
  | 'missing'
  | 'missing_field'
  | 'invalid'
  | 'already_exists'
  | 'unprocessable'
  | 'custom'
  | 'too_large';

/** One entry of `errors`. `field` is absent when the whole resource is at fault; `custom` always has a message. */
export interface FieldError {
  readonly value?: unknown;
  readonly resource: string;
  readonly field?: string;
  readonly code: FieldErrorCode;
  readonly message?: string;
  /** The checks that prevent a deployment. */
  readonly contexts?: readonly { readonly context: string; readonly state: string }[];
}

export class RefusalError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.kind);
    this.name = 'RefusalError';
    this.refusal = refusal;
  }
}

export function refuse(refusal: Refusal): never {
  throw new RefusalError(refusal);
}

/** An installation token lacks a permission, or no permission is enough. */
export function refuseIntegration(): never {
  return refuse({ kind: 'forbidden', message: 'Resource not accessible by integration' });
}

export function refuseMerge(reason: UnconditionalMergeRefusal): never {
  return refuse({ kind: 'not-mergeable', reason });
}

export function notFound(message?: string): never {
  return refuse(message === undefined ? { kind: 'not-found' } : { kind: 'not-found', message });
}

export function invalid(...errors: readonly FieldError[]): never {
  return refuse({ kind: 'validation-failed', errors });
}
