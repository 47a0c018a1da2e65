import { getDurableExecution } from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { representExecution } from '../execution-json.ts';
import { findPayloads } from '../execution-store.ts';
import { getByArn } from '../find-execution.ts';

type Output = StructureOf<(typeof getDurableExecution)['output']>;

export function serveGetDurableExecution({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getDurableExecution, async (input): Promise<Output> => {
    const { DurableExecutionArn, IncludeExecutionData: withData = true } = input;
    const { execution, payloads } = await database.read(async (sql) => {
      const found = await getByArn(sql, settings, DurableExecutionArn);
      return {
        execution: found,
        payloads: withData ? await findPayloads(sql, found.id) : undefined,
      };
    });
    const { result, error } = payloads ?? {};
    const { traceHeader, timeoutSeconds, retentionDays, version } = execution;
    return {
      ...representExecution(settings, execution),
      ...(payloads ? { InputPayload: payloads.input } : {}),
      ...(result === undefined ? {} : { Result: result }),
      ...(error ? { Error: error } : {}),
      Version: version,
      ...(traceHeader === undefined ? {} : { TraceHeader: { XAmznTraceId: traceHeader } }),
      ExecutionDataIncluded: withData,
      DurableConfig: { ExecutionTimeout: timeoutSeconds, RetentionPeriodInDays: retentionDays },
    };
  });
}
