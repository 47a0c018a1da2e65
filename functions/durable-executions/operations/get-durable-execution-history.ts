import { getDurableExecutionHistory } from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { getByArn } from '../find-execution.ts';
import { representEvent } from '../history-json.ts';
import { listEvents } from '../history-store.ts';
import { pageSize, readStateMarker, stateMarker } from '../state-marker.ts';

/** Characters of a page. */
const pageCharacters = 4_000_000;

type Output = StructureOf<(typeof getDurableExecutionHistory)['output']>;

export function serveGetDurableExecutionHistory({
  database,
  settings,
}: FunctionPorts): ServedOperation {
  return serve(getDurableExecutionHistory, async (input): Promise<Output> => {
    const { IncludeExecutionData: withData = true, ReverseOrder: newestFirst = false } = input;
    const after = readStateMarker(input.Marker);
    const { events, hasMore } = await database.read(async (sql) => {
      const execution = await getByArn(sql, settings, input.DurableExecutionArn);
      const bounds = { items: pageSize(input.MaxItems), size: pageCharacters };
      return listEvents(sql, execution.id, { newestFirst, after }, bounds);
    });
    const last = events.at(-1);
    return {
      Events: events.map((event) => representEvent(event, withData)),
      ...(hasMore && last ? { NextMarker: stateMarker(last.number) } : {}),
    };
  });
}
