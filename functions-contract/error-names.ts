/** Every error of the service: its status and the format of its body (recorded answers). */
export interface ErrorName {
  readonly status: number;
  /** The member with the message. */
  readonly text: 'message' | 'Message';
  /** The fault in the body; absent where the recorded body has none. */
  readonly fault?: 'User' | 'Service';
}

export const errorNames = {
  ValidationException: { status: 400, text: 'message' },
  SerializationException: { status: 400, text: 'message' },
  InvalidParameterValueException: { status: 400, text: 'message', fault: 'User' },
  InvalidRequestContentException: { status: 400, text: 'message', fault: 'User' },
  CodeVerificationFailedException: { status: 400, text: 'Message', fault: 'User' },
  ResourceNotFoundException: { status: 404, text: 'Message', fault: 'User' },
  ResourceConflictException: { status: 409, text: 'message', fault: 'User' },
  PreconditionFailedException: { status: 412, text: 'message', fault: 'User' },
  PolicyLengthExceededException: { status: 400, text: 'message', fault: 'User' },
  CodeStorageExceededException: { status: 400, text: 'message', fault: 'User' },
  RecursiveInvocationException: { status: 400, text: 'Message', fault: 'User' },
  ProvisionedConcurrencyConfigNotFoundException: { status: 404, text: 'message', fault: 'User' },
  CodeSigningConfigNotFoundException: { status: 404, text: 'Message', fault: 'User' },
  RequestEntityTooLargeException: { status: 413, text: 'Message' },
  UnsupportedMediaTypeException: { status: 415, text: 'message', fault: 'User' },
  CallbackTimeoutException: { status: 400, text: 'Message', fault: 'User' },
  DurableExecutionAlreadyStartedException: { status: 409, text: 'Message', fault: 'User' },
  TooManyRequestsException: { status: 429, text: 'message', fault: 'User' },
  ServiceException: { status: 500, text: 'Message', fault: 'Service' },
  UnknownOperationException: { status: 404, text: 'message' },
  AccessDeniedException: { status: 403, text: 'Message' },
  MissingAuthenticationTokenException: { status: 403, text: 'message' },
  UnrecognizedClientException: { status: 403, text: 'message' },
  InvalidSignatureException: { status: 403, text: 'message' },
  IncompleteSignatureException: { status: 403, text: 'message' },
  ExpiredTokenException: { status: 403, text: 'message' },
} as const satisfies Record<string, ErrorName>;

export type ErrorCode = keyof typeof errorNames;
