import { boolean } from '#functions-contract/shape.ts';

import { groupFolder, listStreams } from '../logs/log-files.ts';
import { StreamReader, type LogLine } from '../logs/stream-reader.ts';
import {
  between,
  limitUpTo,
  nextToken,
  ofGroup,
  optional,
  required,
  streamName,
  structure,
  logsOperation,
  type LogsOperation,
  type LogsPorts,
  invalidToken,
  noSuchStream,
  readToken,
  writeToken,
} from './logs-operation.ts';
import { eventBytes, messageOf, pageBytesMax, requireGroup } from './log-group.ts';

/** CloudWatch Logs: events of a page of one stream. */
const eventsMax = 10_000;

const input = structure({
  ...ofGroup,
  ...between,
  logStreamName: required(streamName, 'Name of the stream.'),
  nextToken,
  limit: limitUpTo(eventsMax),
  startFromHead: optional(boolean, 'Whether the first page has the oldest events, not the latest.'),
  unmask: optional(boolean, 'Nothing is masked.'),
});

/** Pages through one stream in both directions: at either end its token is the one that was given. */
export function getLogEvents(ports: LogsPorts): LogsOperation {
  return logsOperation('GetLogEvents', input, async (given) => {
    const group = await requireGroup(ports, given);
    const { startTime = 0, endTime = Infinity, limit = eventsMax } = given;
    const question = { group, logStreamName: given.logStreamName, startTime, endTime };
    const lines = (await linesOf(ports, group, given.logStreamName)).filter(
      ({ at }) => at >= startTime && at < endTime,
    );
    const { forward, index } = startOf(given, lines, question);
    const { from, to } = pageOf(lines, index, forward, limit);
    return {
      events: lines.slice(from, to).map((line) => ({
        timestamp: line.at,
        message: messageOf(line),
        ingestionTime: line.at,
      })),
      nextForwardToken: `f/${writeToken(positionOf(lines, to), question)}`,
      nextBackwardToken: `b/${writeToken(positionOf(lines, from), question)}`,
    };
  });
}

async function linesOf({ logFolder }: LogsPorts, group: string, name: string): Promise<LogLine[]> {
  const streams = await listStreams(groupFolder(logFolder, group));
  const found = streams.find(({ stream }) => stream === name);
  if (!found) throw noSuchStream();
  return Array.fromAsync(new StreamReader(found.path, name).newLines());
}

/** Where a page begins, when it goes forward, or ends. */
function startOf(
  given: { readonly nextToken?: string; readonly startFromHead?: boolean },
  lines: readonly LogLine[],
  question: object,
): { forward: boolean; index: number } {
  const { nextToken: token, startFromHead = false } = given;
  if (token === undefined) {
    return { forward: startFromHead, index: startFromHead ? 0 : lines.length };
  }
  const [, direction, rest] = /^([fb])\/(.+)$/.exec(token) ?? [];
  if (direction === undefined) throw invalidToken();
  const [at, passed] = readToken(rest, question) ?? [];
  if (typeof at !== 'number' || typeof passed !== 'number') throw invalidToken();
  const before = lines.filter((line) => line.at < at).length;
  const same = lines.filter((line) => line.at === at).length;
  return { forward: direction === 'f', index: before + Math.min(passed, same) };
}

/** As many lines as a page holds, from the index on or up to it. */
function pageOf(
  lines: readonly LogLine[],
  index: number,
  forward: boolean,
  limit: number,
): { from: number; to: number } {
  let count = 0;
  let bytes = 0;
  for (;;) {
    const line = lines[forward ? index + count : index - count - 1];
    if (!line || count >= limit) break;
    bytes += eventBytes(line);
    if (count > 0 && bytes > pageBytesMax) break;
    count += 1;
  }
  return forward ? { from: index, to: index + count } : { from: index - count, to: index };
}

/** A time, and how many lines of that millisecond are before the index; stays valid when old lines are removed. */
function positionOf(lines: readonly LogLine[], index: number): [at: number, passed: number] {
  const last = lines[index - 1];
  if (!last) return [0, 0];
  const passed = lines.slice(0, index).filter(({ at }) => at === last.at).length;
  return [last.at, passed];
}
