import { errorNames, type ErrorCode } from '#functions-contract/error-names.ts';

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
