import { STATUS_CODES } from 'node:http';

import type { Reply } from '../connection/send.ts';
import { readServiceError, serviceErrorText } from '../connection/service-error.ts';
import { ClientError } from '../context/errors.ts';

/** The service answered, with an error. */
export class ServiceFailure extends ClientError {
  readonly code: string;
  readonly operation: string;
  readonly status: number;
  /** What the service says. */
  readonly serviceMessage: string;

  constructor(operation: string, reply: Reply) {
    const error = readServiceError(reply, STATUS_CODES[reply.status] ?? '');
    super(254, serviceErrorText(error, operation, reply.retriesExhausted));
    this.name = 'ServiceFailure';
    this.code = error.code;
    this.operation = operation;
    this.status = reply.status;
    this.serviceMessage = error.message;
  }
}
