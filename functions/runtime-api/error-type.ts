import type { RequestHead } from './request-head.ts';
import type { RuntimeError } from './runtime-channel.ts';

/** An error that a program reports: the body as it is, and the type from the header. */
export function reportedError(head: RequestHead, payload: Buffer): RuntimeError {
  return {
    payload,
    type: filteredErrorType(head.headers.get('lambda-runtime-function-error-type')),
  };
}

/**
 * Filters the header with the error type: a program may send anything, and it appears in logs and metrics.
 */
export function filteredErrorType(given: string | undefined): string {
  if (given !== undefined && knownForm.test(given)) return given;
  return given?.startsWith('Function.') === true ? 'Function.Unknown' : 'Runtime.Unknown';
}

const knownForm = /(Runtime|Function)\.[A-Z][a-zA-Z]+/;
