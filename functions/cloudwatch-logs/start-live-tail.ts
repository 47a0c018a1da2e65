import { setTimeout as pause } from 'node:timers/promises';

import { inBackground } from '#platform/in-background.ts';

import { eventMessage, exceptionMessage } from '../invocation/event-stream.ts';
import { readLogs } from '../logs/read-logs.ts';
import type { LogLine } from '../logs/stream-reader.ts';
import { readFilterPattern } from './filter-pattern.ts';
import {
  groupIdentifier,
  list,
  optional,
  required,
  streamName,
  string,
  structure,
  logsOperation,
  type LogsCall,
  type LogsOperation,
  type LogsPorts,
  invalidLogsParameter,
  noSuchGroup,
} from './logs-operation.ts';
import { messageOf, groupArn, groupExists, nameIn } from './log-group.ts';
import { ServiceError } from '../errors/functions-error.ts';

/** Live Tail: time between two updates of a session. */
const updateMilliseconds = 1000;
/** Live Tail: events in an update; others are left out, and the update says that it is sampled. */
const eventsPerUpdateMax = 500;
/** Live Tail: length of a session, as on AWS. */
const sessionMilliseconds = 3 * 60 * 60 * 1000;
/** Live Tail: concurrent sessions; each polls its groups' files several times a second. */
const sessionsMax = 15;

const input = structure({
  logGroupIdentifiers: required(
    list(groupIdentifier, { min: 1, max: 10 }),
    'ARNs of the log groups.',
  ),
  logStreamNames: optional(
    list(streamName, { min: 1, max: 10 }),
    'Selects only these log streams.',
  ),
  logStreamNamePrefixes: optional(
    list(streamName, { min: 1, max: 10 }),
    'Selects only log streams whose name begins with this.',
  ),
  logEventFilterPattern: optional(
    string({ min: 0, max: 1024 }),
    'Selects only events that match this pattern.',
  ),
});

interface Session {
  readonly groups: readonly string[];
  readonly streams: (name: string) => boolean;
  readonly passes: (message: string) => boolean;
  readonly start: object;
}

export function startLiveTail(ports: LogsPorts): LogsOperation {
  let sessions = 0;
  return logsOperation('StartLiveTail', input, async (given, call) => {
    const { logGroupIdentifiers, logStreamNames, logStreamNamePrefixes } = given;
    if ((logStreamNames ?? logStreamNamePrefixes) && logGroupIdentifiers.length > 1) {
      throw invalidLogsParameter('Log stream names and prefixes require a single log group.');
    }
    const groups = logGroupIdentifiers.map((identifier) => nameIn(ports.settings, identifier));
    const session: Session = {
      groups,
      streams: streamFilter(logStreamNames, logStreamNamePrefixes),
      passes: readFilterPattern(given.logEventFilterPattern ?? ''),
      start: {
        requestId: call.requestId,
        sessionId: ports.random.id(),
        logGroupIdentifiers: groups.map((group) => groupArn(ports.settings, group)),
        logStreamNames: logStreamNames ?? [],
        logStreamNamePrefixes: logStreamNamePrefixes ?? [],
        logEventFilterPattern: given.logEventFilterPattern ?? '',
      },
    };
    for (const group of groups) if (!(await groupExists(ports, group))) throw noSuchGroup();
    if (sessions >= sessionsMax) {
      throw new ServiceError(
        'LimitExceededException',
        `The limit of ${sessionsMax} Live Tail sessions is reached. End a session first.`,
      );
    }
    sessions += 1;
    // Also where the client leaves before anything is read, so that the generator never runs.
    onAbort(call.ended, () => {
      sessions -= 1;
    });
    return messages(ports, session, call);
  });
}

function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
}

function streamFilter(
  names: readonly string[] | undefined,
  prefixes: readonly string[] | undefined,
): (name: string) => boolean {
  if (!names && !prefixes) return () => true;
  return (name) =>
    (names?.includes(name) ?? false) ||
    (prefixes?.some((prefix) => name.startsWith(prefix)) ?? false);
}

interface TailedLine extends LogLine {
  readonly group: string;
}

async function* messages(
  ports: LogsPorts,
  { groups, streams, passes, start }: Session,
  { ended, isStopping, mayGoOn }: LogsCall,
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([ended, stop.signal]);
  let waiting: TailedLine[] = [];
  let dropped = false;
  let fault: unknown;
  const since = ports.clock.now();
  const follow = async (group: string): Promise<void> => {
    const query = { since, streams, follow: stopped };
    for await (const line of readLogs(ports.logFolder, group, query)) {
      if (!passes(line.text)) continue;
      if (waiting.length < eventsPerUpdateMax) waiting.push({ ...line, group });
      else dropped = true;
    }
  };
  for (const group of groups) {
    inBackground(
      follow(group).catch((error: unknown) => {
        fault = error;
        stop.abort();
      }),
    );
  }
  try {
    // The first message of the protocol contains the members of the response other than the stream: none.
    yield message('initial-response', {});
    yield message('sessionStart', start);
    const end = performance.now() + sessionMilliseconds;
    while (performance.now() < end) {
      await pause(updateMilliseconds, undefined, { signal: stopped }).catch(() => undefined);
      if (fault !== undefined) throw fault;
      if (stopped.aborted || isStopping()) return;
      if (!(await mayGoOn())) {
        yield exceptionMessage(
          'SessionStreamingException',
          'The access key of the session is no longer valid.',
        );
        return;
      }
      const sessionResults = waiting.toSorted((one, other) => one.at - other.at);
      const sampled = dropped;
      waiting = [];
      dropped = false;
      yield message('sessionUpdate', {
        sessionMetadata: { sampled },
        sessionResults: sessionResults.map((line) => representLine(ports, line)),
      });
    }
    yield exceptionMessage(
      'SessionTimeoutException',
      'The session reached its limit of three hours.',
    );
  } finally {
    stop.abort();
  }
}

function representLine({ settings }: LogsPorts, line: TailedLine): object {
  return {
    logStreamName: line.stream,
    logGroupIdentifier: `${settings.accountId}:${line.group}`,
    message: messageOf(line),
    timestamp: line.at,
    ingestionTime: line.at,
  };
}

function message(type: string, payload: object): Uint8Array {
  return eventMessage(type, 'application/json', Buffer.from(JSON.stringify(payload)));
}
