/** A no to a git client, which shows its user the status and, for some, the text. */
export class GitRefusal extends Error {
  override readonly name = 'GitRefusal';
  readonly status: number;
  readonly location: string | undefined;

  constructor(status: number, message: string, location?: string) {
    super(message);
    this.status = status;
    this.location = location;
  }
}
