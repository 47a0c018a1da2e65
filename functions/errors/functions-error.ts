import { errorNames, type ErrorCode } from '#functions-contract/error-names.ts';
import { type Operation, requestBytesDefault } from '#functions-contract/operation.ts';
import { errorCode } from '#platform/error-code.ts';
import { storageFailure, storageSentences } from '#platform/storage-failure.ts';

interface FunctionsErrorDetails {
  /** Why a call was throttled. */
  readonly reason?: string;
  /** Some recorded bodies do not say whose fault it was. */
  readonly withoutFault?: boolean;
  /** The recorded answer about another account's function has a null for a message. */
  readonly withoutMessage?: boolean;
  readonly retryAfterSeconds?: number;
  /** Another one than the code usually has. */
  readonly status?: number;
}

/** A refusal of an operation, returned to the caller as it is; anything else that is thrown is an internal error. */
export class FunctionsError extends Error {
  readonly code: ErrorCode;
  readonly details: FunctionsErrorDetails;

  constructor(code: ErrorCode, message: string, details: FunctionsErrorDetails = {}) {
    super(message);
    this.name = 'FunctionsError';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return this.details.status ?? errorNames[this.code].status;
  }
}

/** The most common refusal: a value that the contract's constraints allow and a rule does not. */
export function invalidParameter(message: string, details?: FunctionsErrorDetails): FunctionsError {
  return new FunctionsError('InvalidParameterValueException', message, details);
}

/** The error of policies, layers and function URLs for a missing resource. */
export function noSuchResource(): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    'The resource you requested does not exist.',
  );
}

/** The error for anything thrown: refusals as they are, the server's own in the service's format, else an internal error. */
export function refusalOf(error: unknown, operation: Operation | undefined): FunctionsError {
  if (error instanceof FunctionsError) return error;
  const code = errorCode(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' && operation) {
    return new FunctionsError(
      'RequestEntityTooLargeException',
      `Request must be smaller than ${operation.requestBytesMax ?? requestBytesDefault} bytes for the ${nameInMessages(operation)} operation`,
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

/** A refusal of another AWS service, independent of its protocol. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
  }
}
