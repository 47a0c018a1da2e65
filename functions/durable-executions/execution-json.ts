import type { durableExecution } from '#functions-contract/shapes/durable-operations.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { functionArn, type Site } from '../model/function-name.ts';
import { executionArn, type Execution } from './execution.ts';
import { wireSeconds } from './operation-json.ts';

/** An execution as lists tell it. */
export function representExecution(
  site: Site,
  execution: Execution,
): StructureOf<typeof durableExecution> {
  const { functionName, version, name, status, startedAt, endedAt } = execution;
  return {
    DurableExecutionArn: executionArn(site, execution),
    DurableExecutionName: name,
    FunctionArn: functionArn(site, functionName, version),
    Status: status,
    StartTimestamp: wireSeconds(startedAt),
    ...(endedAt === undefined ? {} : { EndTimestamp: wireSeconds(endedAt) }),
  };
}
