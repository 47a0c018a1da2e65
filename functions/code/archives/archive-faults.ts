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

/** Something else has the name of the archive. */
export function unstorableArchive(path: string): FunctionsError {
  const error = new FunctionsError(
    'ServiceException',
    'The archive of this code cannot be stored. See the server log.',
  );
  error.cause = new Error(
    `${path} is a directory. Delete or rename it, and upload that code again.`,
  );
  return error;
}

/** No other attempt would find less. */
export class ObjectTooLargeError extends Error {
  constructor(bytesMax: number) {
    super(`It has over ${bytesMax} bytes.`);
  }
}

/** As the store names it, or the system where it does not answer. */
export function faultOf(error: unknown): {
  readonly fault: string;
  readonly code: string;
  readonly status: number | undefined;
} {
  if (!(error instanceof Error)) return { fault: String(error), code: '', status: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  const status =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? Number(metadata.httpStatusCode)
      : undefined;
  // Of several addresses that refuse a connection, Node's error has no message of its own.
  const message = error.message.trim().replace(/[.!]$/, '');
  return { fault: message === '' ? `${code}.` : `${code}: ${message}.`, code, status };
}
