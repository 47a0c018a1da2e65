import { present } from '#platform/present.ts';

import { parseQuickly } from '../json/structure-bytes.ts';
import type { Execution, ExecutionEnd } from './execution.ts';
import type { ErrorObject } from './operation.ts';

/** The outcome of an invocation. */
export type RunAttempt =
  | { readonly kind: 'answered'; readonly response: ProgramResponse }
  /** The function failed; another invocation resumes from the last checkpoint. */
  | { readonly kind: 'failed'; readonly error: ErrorObject }
  /** It could not be run now, but may be later. */
  | { readonly kind: 'not-run' }
  /** It cannot be run any more. */
  | { readonly kind: 'gone'; readonly error: ErrorObject };

export type RunDecision =
  | { readonly kind: 'end'; readonly end: ExecutionEnd }
  | {
      readonly kind: 'again';
      readonly at: number;
      readonly failures: number;
      readonly delays: number;
    }
  /** Suspended until an event that it waits for. */
  | { readonly kind: 'suspend' };

/** When failed runs are retried. */
export interface DurableTimings {
  /** The delay after the first failure, or the first time that it could not be run; doubled each time. */
  readonly retryMilliseconds: number;
  /** Consecutive failures after which the execution fails. */
  readonly failuresMax: number;
}

/**
 * Pause before a durable execution that failed is run again, doubled each time, and failures in a row after which it has
 * failed.
 */
export const usualDurableTimings: DurableTimings = { retryMilliseconds: 1000, failuresMax: 9 };

/** Pause between two tries of an execution that failed: a second, then twice as long each time, at most this. */
const retryMillisecondsMax = 5 * 60_000;

/** Decides how an execution continues after an invocation of its function. */
export function decideRun(
  { failures, delays }: Pick<Execution, 'failures' | 'delays'>,
  attempt: RunAttempt,
  timings: DurableTimings,
  now: number,
): RunDecision {
  const later = (before: number): number =>
    now + Math.min(timings.retryMilliseconds * 2 ** Math.min(before, 30), retryMillisecondsMax);
  switch (attempt.kind) {
    case 'not-run':
      return { kind: 'again', at: later(delays), failures, delays: delays + 1 };
    case 'gone':
      return failedWith(attempt.error);
    case 'failed':
      return failures + 1 >= timings.failuresMax
        ? failedWith(attempt.error)
        : { kind: 'again', at: later(failures), failures: failures + 1, delays: 0 };
    case 'answered':
      return afterResponse(attempt.response);
  }
}

function afterResponse(response: ProgramResponse): RunDecision {
  switch (response.kind) {
    case 'succeeded': {
      const { result } = response;
      return {
        kind: 'end',
        end: { status: 'SUCCEEDED', ...present({ result }) },
      };
    }
    case 'failed':
      return failedWith(response.error);
    case 'pending':
      return { kind: 'suspend' };
    case 'nonsense':
      return failedWith({
        ErrorType: 'Execution.InvalidAnswer',
        ErrorMessage: 'Invalid durable response: wrap the handler with the durable execution SDK.',
      });
  }
}

function failedWith(error: ErrorObject): RunDecision {
  return { kind: 'end', end: { status: 'FAILED', error } };
}

/** The error of an execution that returned PENDING without a pending operation. */
export const nothingAwaited: ErrorObject = {
  ErrorType: 'Execution.NothingAwaited',
  ErrorMessage: 'The function returned PENDING, but no operation is pending.',
};

/** The response of a durable function at the end of an invocation. */
type ProgramResponse =
  | { readonly kind: 'succeeded'; readonly result: string | undefined }
  | { readonly kind: 'failed'; readonly error: ErrorObject }
  /** It is suspended, and is to be invoked again. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'nonsense' };

export function readResponse(payload: Uint8Array): ProgramResponse {
  const response = objectIn(payload);
  switch (response['Status']) {
    case 'SUCCEEDED': {
      const { Result: result } = response;
      if (result !== undefined && result !== null && typeof result !== 'string') break;
      return { kind: 'succeeded', result: result ?? undefined };
    }
    case 'FAILED':
      return { kind: 'failed', error: readError(response['Error']) };
    case 'PENDING':
      return { kind: 'pending' };
  }
  return { kind: 'nonsense' };
}

/** Converts a function's error to the error format of executions. */
export function readFunctionError(payload: Uint8Array): ErrorObject {
  const { errorMessage, errorType, stackTrace, trace } = objectIn(payload);
  return readError({
    ErrorMessage: errorMessage,
    ErrorType: errorType,
    StackTrace: stackTrace ?? trace,
  });
}

/** Members of a wrong type are omitted. */
function readError(value: unknown): ErrorObject {
  const given: Record<string, unknown> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const text = (name: 'ErrorMessage' | 'ErrorType' | 'ErrorData'): ErrorObject => {
    const { [name]: found } = given;
    return typeof found === 'string' ? { [name]: found } : {};
  };
  const { StackTrace: frames } = given;
  return {
    ...text('ErrorMessage'),
    ...text('ErrorType'),
    ...text('ErrorData'),
    ...(Array.isArray(frames)
      ? { StackTrace: frames.filter((frame) => typeof frame === 'string') }
      : {}),
  };
}

function objectIn(payload: Uint8Array): Record<string, unknown> {
  try {
    const json = parseQuickly(payload);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json };
  } catch {
    // Treated like any other response that is not an object.
  }
  return {};
}
