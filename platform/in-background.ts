/**
 * Owns work that nobody awaits: when it fails, `onError` hears of it. Without an owner the rejection would be unhandled, which ends
 * the process (https://nodejs.org/api/process.html#event-unhandledrejection). By default the error goes to standard error, which
 * the parent of a helper process logs.
 */
export function inBackground(
  work: Promise<unknown>,
  onError: (error: unknown) => void = writeToStandardError,
): void {
  work.catch(onError);
}

function writeToStandardError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
}
