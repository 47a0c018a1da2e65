import { invokeResponseBytesMax } from '#functions-contract/limits.ts';
import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

import type { ProgramEnd } from '../launcher/launcher.ts';

/** The platform's response instead of the function's; `errorType` first, as recorded. */
export interface PlatformError {
  readonly payload: Uint8Array;
  readonly errorType: string;
}

export function timeoutError(requestId: string, seconds: number): PlatformError {
  return platformError(requestId, 'Sandbox.Timedout', timeoutMessage(seconds));
}

/** `Task timed out after 3.00 seconds` */
export function timeoutMessage(seconds: number): string {
  return `Task timed out after ${seconds.toFixed(2)} seconds`;
}

export function exitError(requestId: string, end: ProgramEnd): PlatformError {
  return platformError(requestId, 'Runtime.ExitError', exitMessage(end));
}

/** An extension has failed, and the environment with it. */
export function extensionError(
  requestId: string,
  { name, errorType, message }: { readonly [key in 'name' | 'errorType' | 'message']: string },
): PlatformError {
  return platformError(requestId, errorType, `Extension ${name} ${message}`);
}

/** There is no program to start. */
export function noProgramError(
  requestId: string,
  code: FailureReasonCode,
  message: string,
): PlatformError {
  const isExtension = code === 'FunctionError.TooManyExtensions';
  const errorType = isExtension ? 'Extension.TooManyExtensions' : 'Runtime.InvalidEntrypoint';
  return platformError(requestId, errorType, message);
}

/** The response of the function exceeds the limit. */
export const responseTooLarge: PlatformError = {
  errorType: 'Function.ResponseSizeTooLarge',
  payload: Buffer.from(
    JSON.stringify({
      errorMessage: `Response payload size exceeded maximum allowed payload size (${invokeResponseBytesMax} bytes).`,
      errorType: 'Function.ResponseSizeTooLarge',
    }),
  ),
};

export function exitMessage(end: ProgramEnd): string {
  switch (end.kind) {
    case 'exited':
      return end.status === 0
        ? 'Runtime exited without providing a reason'
        : `Runtime exited with error: exit status ${end.status}`;
    case 'killed':
      return `Runtime exited with error: signal: ${signalMessages[end.signal] ?? end.signal.toLowerCase()}`;
    case 'lost':
      return 'Runtime was lost with the process that ran it';
    case 'not-started':
      return `Runtime could not be started: ${end.message}`;
  }
}

/** As the C library names them. */
const signalMessages: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGTERM: 'terminated',
  SIGSEGV: 'segmentation fault',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGILL: 'illegal instruction',
  SIGINT: 'interrupt',
  SIGSYS: 'bad system call',
};

function platformError(requestId: string, errorType: string, message: string): PlatformError {
  const errorMessage = `RequestId: ${requestId} Error: ${message}`;
  return { errorType, payload: Buffer.from(JSON.stringify({ errorType, errorMessage })) };
}
