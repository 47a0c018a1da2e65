import { STATUS_CODES } from 'node:http';

import type { ServiceResponse } from '../connection/send.ts';
import { readServiceError, serviceErrorText } from '../connection/service-error.ts';
import { CliError } from '../context/errors.ts';

/** The service answered, with an error. */
export class ServiceResponseError extends CliError {
  readonly code: string;
  readonly operation: string;
  readonly status: number;
  /** What the service says. */
  readonly serviceMessage: string;

  constructor(operation: string, reply: ServiceResponse) {
    const error = readServiceError(reply, STATUS_CODES[reply.status] ?? '');
    super(254, serviceErrorText(error, operation, reply.retriesExhausted));
    this.name = 'ServiceResponseError';
    this.code = error.code;
    this.operation = operation;
    this.status = reply.status;
    this.serviceMessage = error.message;
  }
}
