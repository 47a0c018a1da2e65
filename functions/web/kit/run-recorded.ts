import { OperatorError } from '#platform/operator-error.ts';

import { invalidParameter, refusalOf } from '../../errors/functions-error.ts';
import type { FunctionPorts } from '../../http/call.ts';
import type { SignedPrincipal } from '../../signing/principal.ts';
import type { RunRecorded } from './console-context.ts';

/** Records what site administrators do here in the audit log, also what is refused. */
export function createRunRecorded(
  ports: Pick<FunctionPorts, 'audit' | 'random'>,
): (principal: SignedPrincipal, sourceAddress: string) => RunRecorded {
  return (principal, sourceAddress) => async (operation, input, act) => {
    const requestId = ports.random.id();
    const record = (errorCode: string | undefined): Promise<void> =>
      ports.audit.record({
        operation,
        principal,
        requestId,
        sourceAddress,
        input,
        errorCode,
        revisionId: undefined,
        warnings: [],
      });
    try {
      await act();
    } catch (error) {
      const refusal = error instanceof OperatorError ? invalidParameter(error.message) : error;
      await record(refusalOf(refusal, undefined).code);
      throw refusal;
    }
    await record(undefined);
  };
}
