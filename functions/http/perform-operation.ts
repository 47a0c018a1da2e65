import type { Operation } from '#functions-contract/operation.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { refusalOf } from '../errors/functions-error.ts';
import { retryAfterKeyRotation } from '../keys/service-key.ts';
import { resumeProvisioningLater } from '../provisioning/provision.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import type { FunctionPorts, OperationHandler } from './call.ts';

/** What is known of a request in addition to its input. */
export interface RequestMetadata {
  readonly requestId: string;
  readonly principal: SignedPrincipal;
  /** For the audit log. */
  readonly sourceAddress: string;
  readonly traceHeader: string | undefined;
}

/** Runs an operation with the input that is read here; calls that change something are recorded in the audit log. */
export async function performOperation(
  ports: FunctionPorts,
  { operation, handle }: OperationHandler,
  { requestId, principal, sourceAddress, traceHeader }: RequestMetadata,
  readInput: () => object,
): Promise<object> {
  const event = { operation, principal, requestId, sourceAddress };
  const warnings: string[] = [];
  const warn = (warning: string): void => {
    warnings.push(warning);
  };
  let input: object | undefined;
  try {
    const read = readInput();
    input = read;
    const output = await retryAfterKeyRotation(ports.serviceKey, () =>
      handle(read, { requestId, principal, traceHeader, warn }),
    );
    if (isAudited(operation)) {
      const done = { errorCode: undefined, ...revisionIn(output) };
      await ports.audit.record({ ...event, input, ...done, warnings });
    }
    return output;
  } catch (error) {
    if (isAudited(operation)) {
      if (storageFailure(error) === 'unavailable') resumeProvisioningLater(ports);
      const { code: errorCode } = refusalOf(error, operation);
      await ports.audit.record({ ...event, input, errorCode, revisionId: undefined, warnings });
    }
    throw error;
  }
}

/** Reads change nothing; invocations are in the function's own log, and updates of executions in their history. */
function isAudited({ method, name }: Operation): boolean {
  return method !== 'GET' && !/^(Invoke|Checkpoint|SendDurable)/.test(name);
}

function revisionIn(output: object): { revisionId: string | undefined } {
  const revisionId = 'RevisionId' in output ? output.RevisionId : undefined;
  return { revisionId: typeof revisionId === 'string' ? revisionId : undefined };
}
