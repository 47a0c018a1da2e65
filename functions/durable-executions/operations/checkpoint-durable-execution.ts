import { checkpointDurableExecution } from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { checkpoint } from '../checkpoint.ts';
import { representOperation } from '../operation-json.ts';

type Output = StructureOf<(typeof checkpointDurableExecution)['output']>;

export function serveCheckpointDurableExecution(ports: FunctionPorts): ServedOperation {
  return serve(checkpointDurableExecution, async (input): Promise<Output> => {
    const { token, operations } = await checkpoint(ports, {
      arn: input.DurableExecutionArn,
      token: input.CheckpointToken,
      updates: input.Updates ?? [],
      clientToken: input.ClientToken,
    });
    return {
      CheckpointToken: token,
      NewExecutionState: { Operations: operations.map(representOperation) },
    };
  });
}
