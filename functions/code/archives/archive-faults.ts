import { FunctionsError } from '../../errors/functions-error.ts';

/** The store of archives cannot be used now. Callers may try again; the cause is for the log of the operator. */
export class ArchivesUnavailableError extends FunctionsError {
  constructor(cause: unknown) {
    super('ServiceException', 'The store of code archives is unavailable. Try again later.', {
      status: 503,
      retryAfterSeconds: 1,
    });
    this.cause = cause;
  }
}

/** An archive that is missing, or is not the one that its name says: no other attempt would find it. */
export function lostArchive(sha256: string, fault: string): FunctionsError {
  const error = new FunctionsError(
    'ServiceException',
    'The archive of this code cannot be read. See the server log.',
  );
  error.cause = new Error(`The archive ${sha256} ${fault}.`);
  return error;
}
