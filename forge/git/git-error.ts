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
  /**
   * The git process is not there: starting again, or ended. The operation may or may not have
   * happened.
   */
  | 'unavailable'
  /** A crash interrupted writes to the repository, and what it left is not cleared away yet. Nothing has happened. */
  | 'recovering'
  /** Another writer holds a lock for longer than anybody waits for it. */
  | 'busy'
  /** There was no room to write; what was to be written is not there. */
  | 'disk-full'
  /** The disk did not confirm a write: nothing after it can be trusted. */
  | 'not-durable'
  /** git failed in a way we did not foresee. */
  | 'failed';

const kinds: readonly string[] = [
  'missing-repository',
  'missing-object',
  'limit',
  'unavailable',
  'recovering',
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
