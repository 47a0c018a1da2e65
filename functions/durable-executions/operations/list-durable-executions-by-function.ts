import { listDurableExecutionsByFunction } from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { findReferred, functionNotFound } from '../../versions/find-function.ts';
import { versionNumberOf } from '../../configuration/function-record.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError, invalidParameter } from '../../errors/functions-error.ts';
import { readMarker, writeMarker } from '../../json/paging.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { listExecutions, type ExecutionFilter } from '../execution-list-store.ts';
import { representExecution } from '../execution-json.ts';
import { pageSize } from '../state-marker.ts';

type Output = StructureOf<(typeof listDurableExecutionsByFunction)['output']>;

export function serveListDurableExecutionsByFunction(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(listDurableExecutionsByFunction, async (input): Promise<Output> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const after = readPosition(input.Marker);
    const startedAfter = readMoment(input.StartedAfter);
    const startedBefore = readMoment(input.StartedBefore);
    const size = pageSize(input.MaxItems);
    const found = await database.read(async (sql) => {
      const version = await findReferred(sql, reference);
      if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
      const filter: ExecutionFilter = {
        functionId: version.functionId,
        version: reference.qualifier === undefined ? undefined : versionNumberOf(version),
        name: input.DurableExecutionName,
        statuses: input.Statuses,
        startedAfter,
        startedBefore,
        oldestFirst: input.ReverseOrder ?? false,
        after,
      };
      return listExecutions(sql, filter, size + 1);
    });
    const page = found.slice(0, size);
    const last = page.at(-1);
    return {
      DurableExecutions: page.map((execution) => representExecution(settings, execution)),
      ...(found.length > size && last
        ? { NextMarker: writeMarker([String(last.startedAt), String(last.id)]) }
        : {}),
    };
  });
}

function readPosition(marker: string | undefined): ExecutionFilter['after'] {
  const position = readMarker(marker);
  if (position.length === 0) return undefined;
  const [startedAt = -1, id = -1] = position.map((part) =>
    /^\d{1,15}$/.test(part) ? Number(part) : -1,
  );
  if (startedAt >= 0 && id >= 0) return { startedAt, id };
  throw invalidParameter('Invalid marker: use the NextMarker of the previous page.');
}

/** Clients write moments as ISO 8601 has them, or as seconds since the epoch. */
function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Math.abs(milliseconds) <= latestMoment) return Math.round(milliseconds);
  throw new FunctionsError('SerializationException', `'${text}' can not be converted to Date`);
}

/** The last one that dates can tell. */
const latestMoment = 8_640_000_000_000_000;
