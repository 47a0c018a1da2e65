import { boolean } from '#functions-contract/shape.ts';

import {
  groupFolder,
  listGroups,
  listStreams,
  statOf,
  type StreamFile,
} from '../logs/log-files.ts';
import { streamTimes } from '../logs/stream-reader.ts';
import { groupArn, nameIn, requireGroup } from './log-group.ts';
import {
  groupIdentifier,
  limitUpTo,
  list,
  nextToken,
  optional,
  string,
  structure,
  logsOperation,
  type LogsOperation,
  type LogsPorts,
  invalidLogsParameter,
  readToken,
  writeToken,
  ofGroup,
  streamName,
  invalidToken,
} from './logs-operation.ts';

/** CloudWatch Logs: groups of a page. */
const groupsMax = 50;

const namePart = string({ min: 1, max: 512, pattern: String.raw`[\.\-_/#A-Za-z0-9]+` });

const logClass = 'STANDARD';

const groupsInput = structure({
  logGroupNamePrefix: optional(namePart, 'Lists only log groups whose name begins with this.'),
  logGroupNamePattern: optional(namePart, 'Lists only log groups whose name contains this.'),
  logGroupIdentifiers: optional(
    list(groupIdentifier, { min: 1, max: 50 }),
    'Lists only these log groups.',
  ),
  logGroupClass: optional(
    string({ values: ['STANDARD', 'INFREQUENT_ACCESS', 'DELIVERY'] }),
    'Lists only log groups of this class.',
  ),
  accountIdentifiers: optional(
    list(string({ pattern: String.raw`\d{12}` }), { min: 0, max: 20 }),
    'Lists only log groups of these accounts.',
  ),
  includeLinkedAccounts: optional(boolean, 'No account is linked.'),
  nextToken,
  limit: limitUpTo(groupsMax),
});

export function describeLogGroups(ports: LogsPorts): LogsOperation {
  const { settings, logFolder } = ports;
  return logsOperation('DescribeLogGroups', groupsInput, async (given) => {
    const { logGroupNamePrefix: prefix, logGroupNamePattern: pattern, limit = groupsMax } = given;
    if (prefix !== undefined && pattern !== undefined) {
      throw invalidLogsParameter(
        'logGroupNamePrefix and logGroupNamePattern are mutually exclusive.',
      );
    }
    const [after] = readToken(given.nextToken, given) ?? [''];
    const named = given.logGroupIdentifiers?.map((identifier) => nameIn(settings, identifier));
    const accounts = given.accountIdentifiers ?? [];
    const isHere =
      (given.logGroupClass ?? logClass) === logClass &&
      (accounts.length === 0 || accounts.includes(settings.accountId));
    const groups = (isHere ? await listGroups(logFolder) : []).filter(
      (group) =>
        group > String(after) &&
        group.startsWith(prefix ?? '') &&
        group.includes(pattern ?? '') &&
        (named?.includes(group) ?? true),
    );
    const shown = groups.slice(0, limit);
    const last = shown.at(-1);
    return {
      logGroups: await Promise.all(shown.map((group) => representGroup(ports, group))),
      ...(groups.length > shown.length && last !== undefined
        ? { nextToken: writeToken([last], given) }
        : {}),
    };
  });
}

async function representGroup({ settings, logFolder }: LogsPorts, group: string): Promise<object> {
  const path = groupFolder(logFolder, group);
  const streams = await listStreams(path);
  const arn = groupArn(settings, group);
  return {
    logGroupName: group,
    creationTime: Math.floor((await statOf(path))?.birthtimeMs ?? 0),
    metricFilterCount: 0,
    arn: `${arn}:*`,
    logGroupArn: arn,
    storedBytes: streams.reduce((sum, { bytes }) => sum + bytes, 0),
    logGroupClass: logClass,
  };
}

/** CloudWatch Logs: streams of a page. */
const streamsMax = 50;

const streamsInput = structure({
  ...ofGroup,
  logStreamNamePrefix: optional(
    streamName,
    'Selects only log streams whose name begins with this.',
  ),
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
  return logsOperation('DescribeLogStreams', streamsInput, async (given) => {
    const { logStreamNamePrefix: prefix = '', orderBy, descending = false } = given;
    if (orderBy === 'LastEventTime' && prefix !== '') {
      throw invalidLogsParameter('Cannot order by LastEventTime with a logStreamNamePrefix.');
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
        shown.map((file) => representStream(groupArn(settings, group), file)),
      ),
      ...(more ? { nextToken: writeToken([more.key, more.name], given) } : {}),
    };
  });
}

async function representStream(arn: string, file: StreamFile): Promise<object> {
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
