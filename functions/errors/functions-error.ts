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

/** What an operation refuses, told to the caller as it is; everything else thrown is a fault of ours. */
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

/** The commonest refusal: a value that the constraints of the contract let through and a rule does not. */
export function invalidParameter(message: string, details?: FunctionsErrorDetails): FunctionsError {
  return new FunctionsError('InvalidParameterValueException', message, details);
}

/** What policies, layers and function URLs say of what is not there. */
export function noSuchResource(): FunctionsError {
  return new FunctionsError(
    'ResourceNotFoundException',
    'The resource you requested does not exist.',
  );
}
