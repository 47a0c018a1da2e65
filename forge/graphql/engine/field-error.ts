/** The kinds of `errors[].type` that a field can end in. */
export type FieldErrorType =
  | 'NOT_FOUND'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE'
  | 'MISSING_PAGINATION_BOUNDARIES'
  | 'EXCESSIVE_PAGINATION'
  | 'INVALID_CURSOR_ARGUMENTS'
  | 'ARGUMENT_LIMIT'
  | 'MAX_NODE_LIMIT_EXCEEDED'
  | 'RATE_LIMITED'
  | 'RESOURCE_LIMITS_EXCEEDED'
  | 'SERVICE_UNAVAILABLE';

/** A field of a valid document cannot be resolved: the field is null, and `errors` says why. */
export class GraphqlFieldError extends Error {
  readonly type: FieldErrorType;

  constructor(type: FieldErrorType, message: string) {
    super(message);
    this.name = 'FieldError';
    this.type = type;
  }
}

export function failField(type: FieldErrorType, message: string): never {
  throw new GraphqlFieldError(type, message);
}
