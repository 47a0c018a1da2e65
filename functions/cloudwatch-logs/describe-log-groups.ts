import { boolean } from '#functions-contract/shape.ts';

import { groupFolder, listGroups, listStreams, statOf } from '../logs/log-files.ts';
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
} from './logs-operation.ts';
import { groupArn, nameIn } from './log-group.ts';
import { invalidParameter } from './logs-errors.ts';
import { readToken, writeToken } from './page-token.ts';

const groupsMax = 50;
const namePart = string({ min: 1, max: 512, pattern: String.raw`[\.\-_/#A-Za-z0-9]+` });
const logClass = 'STANDARD';

const input = structure({
  logGroupNamePrefix: optional(namePart, 'Leaves out groups that begin otherwise.'),
  logGroupNamePattern: optional(namePart, 'Leaves out groups without this in their name.'),
  logGroupIdentifiers: optional(
    list(groupIdentifier, { min: 1, max: 50 }),
    'Leaves out other groups.',
  ),
  logGroupClass: optional(
    string({ values: ['STANDARD', 'INFREQUENT_ACCESS', 'DELIVERY'] }),
    'Leaves out groups of other classes.',
  ),
  accountIdentifiers: optional(
    list(string({ pattern: String.raw`\d{12}` }), { min: 0, max: 20 }),
    'Leaves out groups of other accounts.',
  ),
  includeLinkedAccounts: optional(boolean, 'No account is linked.'),
  nextToken,
  limit: limitUpTo(groupsMax),
});

export function describeLogGroups(ports: LogsPorts): LogsOperation {
  const { settings, logFolder } = ports;
  return logsOperation('DescribeLogGroups', input, async (given) => {
    const { logGroupNamePrefix: prefix, logGroupNamePattern: pattern, limit = groupsMax } = given;
    if (prefix !== undefined && pattern !== undefined) {
      throw invalidParameter('logGroupNamePrefix and logGroupNamePattern are mutually exclusive.');
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
      logGroups: await Promise.all(shown.map((group) => represent(ports, group))),
      ...(groups.length > shown.length && last !== undefined
        ? { nextToken: writeToken([last], given) }
        : {}),
    };
  });
}

async function represent({ settings, logFolder }: LogsPorts, group: string): Promise<object> {
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
