import { boolean } from '#functions-contract/shape.ts';

import { groupFolder, listStreams, type StreamFile } from '../logs/log-files.ts';
import { streamTimes } from '../logs/stream-times.ts';
import {
  limitUpTo,
  nextToken,
  ofGroup,
  optional,
  streamName,
  string,
  structure,
  logsOperation,
  type LogsOperation,
  type LogsPorts,
} from './logs-operation.ts';
import { groupArn, requireGroup } from './log-group.ts';
import { invalidParameter, invalidToken } from './logs-errors.ts';
import { readToken, writeToken } from './page-token.ts';

const streamsMax = 50;

const input = structure({
  ...ofGroup,
  logStreamNamePrefix: optional(streamName, 'Leaves out streams that begin otherwise.'),
  orderBy: optional(string({ values: ['LogStreamName', 'LastEventTime'] }), 'What orders them.'),
  descending: optional(boolean, 'Whether the last comes first.'),
  nextToken,
  limit: limitUpTo(streamsMax),
});

interface Position {
  readonly key: string | number;
  readonly name: string;
}

export function describeLogStreams(ports: LogsPorts): LogsOperation {
  const { settings, logFolder } = ports;
  return logsOperation('DescribeLogStreams', input, async (given) => {
    const { logStreamNamePrefix: prefix = '', orderBy, descending = false } = given;
    if (orderBy === 'LastEventTime' && prefix !== '') {
      throw invalidParameter('Cannot order by LastEventTime with a logStreamNamePrefix.');
    }
    const after = readPosition(readToken(given.nextToken, given));
    const group = await requireGroup(ports, given);
    const keyOf = ({ stream, modified }: StreamFile): Position => ({
      key: orderBy === 'LastEventTime' ? Math.floor(modified) : stream,
      name: stream,
    });
    const sign = descending ? -1 : 1;
    const files = (await listStreams(groupFolder(logFolder, group)))
      .filter(({ stream }) => stream.startsWith(prefix))
      .toSorted((one, other) => sign * compare(keyOf(one), keyOf(other)))
      .filter((file) => !after || sign * compare(keyOf(file), after) > 0);
    const shown = files.slice(0, given.limit ?? streamsMax);
    const last = shown.at(-1);
    const more = files.length > shown.length && last ? keyOf(last) : undefined;
    return {
      logStreams: await Promise.all(
        shown.map((file) => represent(groupArn(settings, group), file)),
      ),
      ...(more ? { nextToken: writeToken([more.key, more.name], given) } : {}),
    };
  });
}

async function represent(arn: string, file: StreamFile): Promise<object> {
  const times = await streamTimes(file.path);
  return {
    logStreamName: file.stream,
    creationTime: times?.first ?? Math.floor(file.modified),
    ...(times
      ? {
          firstEventTimestamp: times.first,
          lastEventTimestamp: times.last,
          lastIngestionTime: times.last,
        }
      : {}),
    // Since 2023 any token is accepted, and none is needed.
    uploadSequenceToken: '0',
    arn: `${arn}:log-stream:${file.stream}`,
    // AWS reports the bytes of groups only.
    storedBytes: 0,
  };
}

function compare(one: Position, other: Position): number {
  if (one.key !== other.key) return one.key < other.key ? -1 : 1;
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

function readPosition(read: readonly unknown[] | undefined): Position | undefined {
  if (!read) return undefined;
  const [key, name] = read;
  if ((typeof key !== 'string' && typeof key !== 'number') || typeof name !== 'string') {
    throw invalidToken();
  }
  return { key, name };
}
