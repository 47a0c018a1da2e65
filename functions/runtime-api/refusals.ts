import { errorAnswer } from './http-answer.ts';

/** The limit of 6 MiB for results, and 100 bytes of grace. */
export const payloadMax = 6 * 1024 * 1024 + 100;

export const payloadTooLarge = errorAnswer(
  413,
  'RequestEntityTooLarge',
  `Exceeded maximum allowed payload size (${payloadMax} bytes).`,
);
export const invalidRequestId = errorAnswer(400, 'InvalidRequestID', 'Invalid request ID');
export const invalidResponseMode = errorAnswer(
  400,
  'InvalidFunctionResponseMode',
  'Invalid function response mode',
);
export const truncatedRequest = errorAnswer(
  400,
  'TruncatedHTTPRequest',
  'HTTP request detected as truncated',
);
export const noSuchCall = errorAnswer(404, 'NotFound', 'Unknown path of the Runtime API.');
export const wrongMethod = errorAnswer(405, 'MethodNotAllowed', 'Method not allowed.');

/** A call in the wrong state; `from` and `to` are names of a program's states. */
export function transitionRefused(from: string, to: string): Buffer {
  return errorAnswer(
    403,
    'InvalidStateTransition',
    `State transition from ${from} to ${to} failed for runtime. Error: State transition is not allowed`,
  );
}
