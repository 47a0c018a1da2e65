import type { Operation } from '#functions-contract/operation.ts';

import type { SignedPrincipal } from '../signing/principal.ts';
import { withoutSecrets } from './without-secrets.ts';

/** A call that changes something, or tried to. */
export interface AuditEvent {
  readonly operation: Operation;
  /** Undefined: refused before the caller was known. */
  readonly principal: SignedPrincipal | undefined;
  readonly requestId: string;
  readonly sourceAddress: string;
  /** The operation's input; undefined: it could not be read. */
  readonly input: unknown;
  /** The error's code; undefined: it was done. */
  readonly errorCode: string | undefined;
  /** Which state of the function the call led to. */
  readonly revisionId: string | undefined;
  /** Warnings about what was allowed. */
  readonly warnings: readonly string[];
}

/** A request of a megabyte is not worth a megabyte in the log. */
const lineCharactersMax = 65_536;

/** One event as a line of JSON, without secrets and without control characters. */
export function auditLine(event: AuditEvent, now: number): string {
  const { operation, principal, requestId, sourceAddress, errorCode, revisionId, warnings } = event;
  const parameters = withoutSecrets(operation.input, event.input);
  const line = (shown: unknown): string =>
    JSON.stringify({
      time: new Date(now).toISOString(),
      event: operation.name,
      principal: principal?.arn,
      accessKeyId: principal?.accessKeyId,
      sourceAddress,
      requestId,
      parameters: shown,
      errorCode,
      revisionId,
      warnings: warnings.length === 0 ? undefined : warnings,
    });
  const whole = line(parameters);
  return whole.length <= lineCharactersMax ? whole : line('left out: too long');
}
