/**
 * Owns work that is not awaited: when it fails, `onError` gets the error. Without an owner the rejection would be unhandled, which ends
 * the process (https://nodejs.org/api/process.html#event-unhandledrejection).
 */
export function inBackground(
  work: Promise<unknown>,
  onError: (error: unknown) => void = reportError,
): void {
  work.catch(onError);
}

/** Writes a failure that cannot be reported otherwise to standard error; the parent of a helper process logs what comes there. */
export function reportError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
}
