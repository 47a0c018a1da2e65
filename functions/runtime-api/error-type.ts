import type { RequestHead } from './request-head.ts';
import type { RuntimeError } from './runtime-channel.ts';

/** What a program says went wrong: the body as it is, and a type from the header. */
export function reportedError(head: RequestHead, payload: Buffer): RuntimeError {
  return {
    payload,
    type: filteredErrorType(head.headers.get('lambda-runtime-function-error-type')),
  };
}

/**
 * What becomes of the header in which a program names the type of its error: anything may stand there, and it ends up in
 * logs and metrics.
 */
export function filteredErrorType(given: string | undefined): string {
  if (given !== undefined && knownForm.test(given)) return given;
  return given?.startsWith('Function.') === true ? 'Function.Unknown' : 'Runtime.Unknown';
}

const knownForm = /(Runtime|Function)\.[A-Z][a-zA-Z]+/;
