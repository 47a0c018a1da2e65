import type { ErrorCode } from '#functions-contract/error-names.ts';
import type { Operation } from '#functions-contract/operation.ts';

import { errorCode } from '#platform/error-code.ts';
import { storageFailure, storageSentences } from '#platform/storage-failure.ts';

import { FunctionsError } from './functions-error.ts';

/** The error for anything thrown: refusals as they are, the server's own in the service's format, else an internal error. */
export function refusalOf(error: unknown, operation: Operation | undefined): FunctionsError {
  if (error instanceof FunctionsError) return error;
  const code = errorCode(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' && operation) {
    return new FunctionsError(
      'RequestEntityTooLargeException',
      `Request must be smaller than ${operation.requestBytesMax ?? 0} bytes for the ${nameInMessages(operation)} operation`,
    );
  }
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const message = error instanceof Error ? error.message : 'The request is not valid.';
    return new FunctionsError(codes[status] ?? 'InvalidRequestContentException', message);
  }
  const failure = storageFailure(error);
  if (failure) {
    return new FunctionsError('ServiceException', storageSentences[failure], answers[failure]);
  }
  return new FunctionsError('ServiceException', 'Internal error. See the server log.');
}

/** Clients retry after a 5xx. */
const answers = {
  'disk-full': { status: 507 },
  unavailable: { status: 503, retryAfterSeconds: 1 },
};

const codes: Readonly<Record<number, ErrorCode>> = { 415: 'UnsupportedMediaTypeException' };

/** The service calls one of its operations by another name than its clients do. */
function nameInMessages({ name }: Operation): string {
  return name === 'Invoke' ? 'InvokeFunction' : name;
}
