import {
  checkpointDurableExecution,
  getDurableExecutionState,
  sendDurableExecutionCallbackFailure,
  sendDurableExecutionCallbackHeartbeat,
  sendDurableExecutionCallbackSuccess,
} from '#functions-contract/operations/durable-executions.ts';
import type { Operation } from '#functions-contract/operation.ts';
import type { FunctionCaller } from '#platform/function-caller.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import { missingSignature } from '../signing/signature-refusals.ts';

/** They require a checkpoint token or a callback id, which cannot be guessed. */
const durableOperations: ReadonlySet<string> = new Set(
  [
    getDurableExecutionState,
    checkpointDurableExecution,
    sendDurableExecutionCallbackSuccess,
    sendDurableExecutionCallbackFailure,
    sendDurableExecutionCallbackHeartbeat,
  ].map(({ name }) => name),
);

/** Whether a function may request the operation at all. */
export function reachesOperation({ reach }: FunctionCaller, { name }: Operation): boolean {
  return reach === 'service' || durableOperations.has(name);
}

const invocations = /^Invoke(?:Async|WithResponseStream)?$/;

/**
 * Refuses an operation to a function that requests it from inside its sandbox. There are no policies of roles here, so the credentials
 * that every function has allow what most roles of functions allow on AWS, and not the administration of other functions: that
 * takes an access key.
 */
export function checkFunctionAccess(
  caller: FunctionCaller,
  operation: Operation,
  principal: SignedPrincipal,
): void {
  const { name } = operation;
  // Unsigned requests are for tools of the operator, not for programs that are isolated from them.
  if (principal.kind === 'anonymous') throw missingSignature();
  if (!reachesOperation(caller, operation)) {
    throw new FunctionsError(
      'AccessDeniedException',
      'Only durable execution operations are available on this endpoint.',
    );
  }
  if (principal.kind === 'user' || durableOperations.has(name) || invocations.test(name)) return;
  throw new FunctionsError(
    'AccessDeniedException',
    `User: ${principal.arn} is not authorized to perform: lambda:${name}. Inside a function, this operation requires the access key of a user.`,
  );
}
