import { getFunctionLogs } from '#functions-contract/operations/logs.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { markerNumber, readMarker, writeMarker } from '../json/paging.ts';
import { readFunctionName } from '../model/function-name.ts';
import { findReferred, functionNotFound } from '../versions/find-function.ts';
import { readLogs, visibleAfterMilliseconds } from './read-logs.ts';
import type { LogLine } from './stream-reader.ts';

/** The log of a function. */
export const logRoutes: readonly CreateHandler[] = [serveGetFunctionLogs];

type GetFunctionLogsOutput = StructureOf<(typeof getFunctionLogs)['output']>;

/** Lines of a log in a response, unless the request says otherwise. */
const linesDefault = 1000;

/** Characters of the lines in a response, after its first line: each may have what an invocation prints. */
const pageCharactersMax = 4_000_000;

function serveGetFunctionLogs(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock, logFolder } = ports;
  return bindOperation(getFunctionLogs, async (input): Promise<GetFunctionLogsOutput> => {
    const reference = readFunctionName(input.FunctionName, settings);
    const version = await database.read((sql) => findReferred(sql, reference));
    if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
    const { LogGroup } = version.desired.configuration.LoggingConfig;
    const from = positionOf(input.Marker, input.StartTime);
    const lines = await linesFrom(
      readLogs(logFolder, LogGroup, { since: from.at }),
      from,
      clock.now() - visibleAfterMilliseconds,
      input.MaxItems ?? linesDefault,
    );
    const next = positionAfter(from, lines);
    return {
      Events: lines.map(({ at, stream, text }) => ({
        Timestamp: at,
        LogStreamName: stream,
        Message: text,
      })),
      NextMarker: writeMarker([String(next.at), String(next.shownCount)]),
    };
  });
}

/** A time, and how many lines of that millisecond were already returned. */
interface Position {
  readonly at: number;
  readonly shownCount: number;
}

function positionOf(marker: string | undefined, startTime = 0): Position {
  const [at = startTime, shownCount = 0] = readMarker(marker).map(markerNumber);
  return { at, shownCount };
}

async function linesFrom(
  source: AsyncIterable<LogLine>,
  { at, shownCount }: Position,
  until: number,
  max: number,
): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  let skipped = 0;
  let characters = 0;
  for await (const line of source) {
    if (line.at === at && skipped < shownCount) {
      skipped += 1;
      continue;
    }
    characters += line.text.length;
    const isFull = lines.length === max || (lines.length > 0 && characters > pageCharactersMax);
    if (line.at > until || isFull) break;
    lines.push(line);
  }
  return lines;
}

function positionAfter(from: Position, lines: readonly LogLine[]): Position {
  const last = lines.at(-1);
  if (!last) return from;
  const ofLast = lines.filter(({ at }) => at === last.at).length;
  return { at: last.at, shownCount: last.at === from.at ? from.shownCount + ofLast : ofLast };
}
