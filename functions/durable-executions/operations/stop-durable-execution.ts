import { stopDurableExecution } from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { wireSeconds } from '../operation-json.ts';
import { stopExecution } from '../stop-execution.ts';

type Output = StructureOf<(typeof stopDurableExecution)['output']>;

export function serveStopDurableExecution(ports: FunctionPorts): ServedOperation {
  return serve(
    stopDurableExecution,
    async ({ DurableExecutionArn, Error: error = {} }): Promise<Output> => {
      const stoppedAt = await stopExecution(ports, DurableExecutionArn, error);
      return { StopTimestamp: wireSeconds(stoppedAt) };
    },
  );
}
