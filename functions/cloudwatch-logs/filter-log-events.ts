import { listStreams, groupFolder } from '../logs/log-files.ts';
import { readLogs, visibleAfterMilliseconds } from '../logs/read-logs.ts';
import type { LogLine } from '../logs/stream-reader.ts';
import { boolean } from '#functions-contract/shape.ts';
import { readFilterPattern } from './filter-pattern.ts';
import {
  between,
  limitUpTo,
  list,
  nextToken,
  ofGroup,
  optional,
  streamName,
  string,
  structure,
  logsOperation,
  type LogsOperation,
  type LogsPorts,
  invalidLogsParameter,
  invalidToken,
  noSuchStream,
  readToken,
  writeToken,
} from './logs-operation.ts';
import { eventBytes, EventIds, messageOf, pageBytesMax, requireGroup } from './log-group.ts';

/** CloudWatch Logs: events of a filtered page. */
const eventsMax = 10_000;
/**
 * CloudWatch Logs: bytes that are looked at for a filtered page; then the page is returned, however few events match the
 * filter.
 */
const lookedAtBytesMax = 16 * 1024 * 1024;

const input = structure({
  ...ofGroup,
  ...between,
  logStreamNames: optional(
    list(streamName, { min: 1, max: 100 }),
    'Selects only these log streams.',
  ),
  logStreamNamePrefix: optional(
    streamName,
    'Selects only log streams whose name begins with this.',
  ),
  filterPattern: optional(
    string({ min: 0, max: 1024 }),
    'Selects only events that match this pattern.',
  ),
  nextToken,
  limit: limitUpTo(eventsMax),
  interleaved: optional(boolean, 'Events of several streams always come in the order of time.'),
  unmask: optional(boolean, 'Nothing is masked.'),
});

export function filterLogEvents(ports: LogsPorts): LogsOperation {
  return logsOperation('FilterLogEvents', input, async (given) => {
    const { logStreamNames: names, logStreamNamePrefix: prefix, limit = eventsMax } = given;
    if (names && prefix !== undefined) {
      throw invalidLogsParameter('logStreamNames and logStreamNamePrefix are mutually exclusive.');
    }
    const passes = readFilterPattern(given.filterPattern ?? '');
    const from = readPosition(readToken(given.nextToken, given), given.startTime ?? 0);
    const group = await requireGroup(ports, given);
    if (names) await requireStreams(ports, group, names);
    const streams = (name: string): boolean =>
      names ? names.includes(name) : name.startsWith(prefix ?? '');
    const until = Math.min(given.endTime ?? Infinity, ports.clock.now() - visibleAfterMilliseconds);
    const page = new Page(limit);
    const ids = new EventIds();
    let position = from;
    for await (const line of readLogs(ports.logFolder, group, { since: from.at, streams })) {
      if (line.at > until) break;
      const eventId = ids.of(line);
      const passed = line.at === position.at ? position.passed : 0;
      if (line.at === from.at && page.skipped < from.passed) {
        page.skipped += 1;
        continue;
      }
      if (page.isFull(line)) {
        return { ...page.answer(), nextToken: writeToken([position.at, position.passed], given) };
      }
      position = { at: line.at, passed: passed + 1 };
      page.look(line, passes(line.text) ? eventId : undefined);
    }
    return page.answer();
  });
}

class Page {
  readonly #limit: number;
  readonly #events: object[] = [];
  #bytes = 0;
  #lookedAtBytes = 0;
  /** Lines of the first millisecond that were on the previous page. */
  skipped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a line is left to the next page; the first is always taken. */
  isFull(line: LogLine): boolean {
    if (this.#lookedAtBytes === 0) return false;
    return (
      this.#events.length >= this.#limit ||
      this.#lookedAtBytes >= lookedAtBytesMax ||
      this.#bytes + eventBytes(line) > pageBytesMax
    );
  }

  /** Without an id the line does not pass. */
  look(line: LogLine, eventId: string | undefined): void {
    const bytes = eventBytes(line);
    this.#lookedAtBytes += bytes;
    if (eventId === undefined) return;
    this.#bytes += bytes;
    this.#events.push({
      logStreamName: line.stream,
      timestamp: line.at,
      message: messageOf(line),
      ingestionTime: line.at,
      eventId,
    });
  }

  answer(): object {
    return { events: this.#events, searchedLogStreams: [] };
  }
}

/** A time, and how many lines of that millisecond were already scanned. */
interface Position {
  readonly at: number;
  readonly passed: number;
}

function readPosition(read: readonly unknown[] | undefined, startTime: number): Position {
  if (!read) return { at: startTime, passed: 0 };
  const [at, passed] = read;
  if (typeof at !== 'number' || typeof passed !== 'number') throw invalidToken();
  return { at, passed };
}

async function requireStreams(
  { logFolder }: LogsPorts,
  group: string,
  names: readonly string[],
): Promise<void> {
  const streams = await listStreams(groupFolder(logFolder, group));
  const known = new Set(streams.map(({ stream }) => stream));
  if (names.some((name) => !known.has(name))) throw noSuchStream();
}
