interface RefusalDetails {
  readonly location?: string;
  readonly retryAfterSeconds?: number;
}

/** A no to a git client, which shows its user the status and, for some, the text. */
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
