import { getDurableExecutionState } from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { checkRunToken } from '../checkpoint.ts';
import { findPayloads } from '../execution-store.ts';
import { representItself, representOperation } from '../operation-json.ts';
import { findOperations, outlineOperations } from '../operation-store.ts';
import { pageSize, readStateMarker, stateMarker } from '../state-marker.ts';
import { pageOfState, visibleOperations } from '../visible-operations.ts';

type Output = StructureOf<(typeof getDurableExecutionState)['output']>;

/** Characters of a page. */
const pageCharacters = 4_000_000;

export function serveGetDurableExecutionState({
  database,
  settings,
}: FunctionPorts): ServedOperation {
  return serve(getDurableExecutionState, async (input): Promise<Output> => {
    const after = readStateMarker(input.Marker);
    const size = pageSize(input.MaxItems);
    return database.read(async (sql) => {
      const { DurableExecutionArn: arn, CheckpointToken: token } = input;
      const execution = await checkRunToken(sql, settings, { arn, token });
      const { id } = execution;
      const visible = visibleOperations(await outlineOperations(sql, id));
      const bounds = { items: size, size: pageCharacters };
      const page = pageOfState(visible, after ?? 0, bounds);
      const operations = await findOperations(sql, id, page.ids);
      const itself =
        after === undefined
          ? [representItself(execution, (await findPayloads(sql, id)).input)]
          : [];
      return {
        Operations: [...itself, ...operations.map(representOperation)],
        ...(page.next === undefined ? {} : { NextMarker: stateMarker(page.next) }),
      };
    });
  });
}
