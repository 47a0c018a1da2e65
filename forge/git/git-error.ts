/**
 * Why git could not answer. None of these is an expected refusal: those are values of the port's
 * result types.
 */
export type GitErrorKind =
  /** The repository is not on disk. */
  | 'missing-repository'
  /** An object that the operation needs is absent or of another type. */
  | 'missing-object'
  /** The operation outgrew its time, memory or output. */
  | 'limit'
  /** The same of a diff. */
  | 'diff-limit'
  /**
   * The git process is restarting or has ended. The operation may or may not have been completed.
   */
  | 'unavailable'
  /** A crash interrupted writes to the repository, and its cleanup is still pending. The operation did not start. */
  | 'recovering'
  /** The repository is in another shard than the one that was asked. The operation did not start. */
  | 'other-shard'
  /** The repository is about to be in another shard, and takes no writes meanwhile. The operation did not start. */
  | 'moving'
  /** Another writer held a lock for longer than the lock timeout. */
  | 'busy'
  /** The disk is full; nothing was written. */
  | 'disk-full'
  /** The disk did not confirm a write: nothing after it can be trusted. */
  | 'not-durable'
  /** git failed in a way we did not foresee. */
  | 'failed';

const kinds: readonly string[] = [
  'missing-repository',
  'missing-object',
  'limit',
  'diff-limit',
  'unavailable',
  'recovering',
  'other-shard',
  'moving',
  'busy',
  'disk-full',
  'not-durable',
  'failed',
] satisfies GitErrorKind[];

export class GitError extends Error {
  override readonly name = 'GitError';
  readonly kind: GitErrorKind;

  constructor(kind: GitErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export function isGitErrorKind(text: unknown): text is GitErrorKind {
  return typeof text === 'string' && kinds.includes(text);
}
