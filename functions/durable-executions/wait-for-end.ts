import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import type { DurableExecutions } from './executions.ts';
import { findExecutionById, findPayloads } from './execution-store.ts';
import { waitSecondsMax, type NewExecution } from './execution.ts';
import type { ErrorObject } from './operation.ts';
import type { InvocationResult, FunctionOutcome } from '../environments/execution-environment.ts';
import { noLog } from '../logs/environment-log.ts';

/** Refuses a synchronous invocation that could take longer than callers wait. */
export function checkWaitable({ timeoutSeconds }: Pick<NewExecution, 'timeoutSeconds'>): void {
  if (timeoutSeconds <= waitSecondsMax) return;
  throw invalidParameter(
    'You cannot synchronously invoke a durable function with an executionTimeout greater than 15 minutes.',
  );
}

export interface ExecutionResult extends InvocationResult {
  readonly outcome: Extract<FunctionOutcome, { kind: 'response' | 'failed' }>;
}

/** The result of an execution in the form of an invocation's response. */
export async function waitForEnd(
  { database, durable }: Pick<SystemPorts, 'database'> & { readonly durable: DurableExecutions },
  id: number,
): Promise<ExecutionResult> {
  const logTail = (await durable.ended(id)) ?? noLog;
  const found = await database.read(async (sql) => {
    const ended = await findExecutionById(sql, id);
    return ended && { ended, payloads: await findPayloads(sql, id) };
  });
  if (!found)
    throw new FunctionsError(
      'ResourceNotFoundException',
      'Execution not found: the function was deleted.',
    );
  const { result, error = {} } = found.payloads;
  return {
    logTail: Promise.resolve(logTail),
    outcome:
      found.ended.status === 'SUCCEEDED'
        ? // No result is null, as in the response of a function that returns nothing.
          { kind: 'response', payload: Buffer.from(result || 'null') }
        : { kind: 'failed', payload: failureOf(error), errorType: error.ErrorType ?? 'Error' },
  };
}

/** Converts an execution's error to the format of a function error. */
function failureOf({ ErrorMessage, ErrorType, ErrorData, StackTrace }: ErrorObject): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      errorMessage: ErrorMessage,
      errorType: ErrorType,
      errorData: ErrorData,
      stackTrace: StackTrace,
    }),
  );
}
