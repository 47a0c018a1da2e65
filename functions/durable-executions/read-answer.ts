import type { ErrorObject } from './operation.ts';

/** The response of a durable function at the end of an invocation. */
export type ProgramAnswer =
  | { readonly kind: 'succeeded'; readonly result: string | undefined }
  | { readonly kind: 'failed'; readonly error: ErrorObject }
  /** It is suspended, and is to be invoked again. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'nonsense' };

export function readAnswer(payload: Uint8Array): ProgramAnswer {
  const answer = objectIn(payload);
  switch (answer['Status']) {
    case 'SUCCEEDED': {
      const { Result: result } = answer;
      if (result !== undefined && result !== null && typeof result !== 'string') break;
      return { kind: 'succeeded', result: result ?? undefined };
    }
    case 'FAILED':
      return { kind: 'failed', error: readError(answer['Error']) };
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
    const json: unknown = JSON.parse(Buffer.from(payload).toString());
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json };
  } catch {
    // Treated like any other response that is not an object.
  }
  return {};
}
