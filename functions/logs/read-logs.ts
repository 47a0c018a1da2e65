import { setTimeout as pause } from 'node:timers/promises';

import { groupFolder, listStreams } from './log-files.ts';
import { StreamReader, type LogLine } from './stream-reader.ts';

interface LogQuery {
  /** Omits earlier lines, epoch milliseconds. */
  readonly since?: number;
  /** Selects streams by name. */
  readonly streams?: (name: string) => boolean;
  /** Continues with new lines until the signal is aborted. */
  readonly follow?: AbortSignal;
}

/** Time between two looks at a log that is followed. */
const pollMilliseconds = 250;

/** The lines of all streams of a group by time; none when there is no such group. */
export async function* readLogs(
  /** `logs` in the functions' directory. */
  folder: string,
  group: string,
  { since = 0, streams = () => true, follow }: LogQuery = {},
): AsyncGenerator<LogLine> {
  const groupPath = groupFolder(folder, group);
  const readers = new Map<string, StreamReader>();
  for (;;) {
    for (const { path, stream, modified } of await listStreams(groupPath)) {
      if (!readers.has(path) && modified >= since && streams(stream))
        readers.set(path, new StreamReader(path, stream, since));
    }
    // Always in the same order, since positions count the lines of one millisecond.
    const sorted = [...readers].toSorted(([one], [other]) => (one < other ? -1 : 1));
    for await (const line of merged(sorted.map(([, reader]) => reader.newLines()))) {
      if (line.at >= since) yield line;
    }
    if (!follow || !(await waited(follow))) return;
  }
}

/** Merges sources that are ordered by time. */
async function* merged(sources: readonly AsyncGenerator<LogLine>[]): AsyncGenerator<LogLine> {
  const heads: { line: LogLine; source: AsyncGenerator<LogLine> }[] = [];
  try {
    for (const source of sources) {
      const first = await source.next();
      if (first.done !== true) heads.push({ line: first.value, source });
    }
    for (;;) {
      const earliest = heads.reduce(
        (found, head) => (found && found.line.at <= head.line.at ? found : head),
        heads[0],
      );
      if (!earliest) return;
      yield earliest.line;
      const next = await earliest.source.next();
      if (next.done === true) heads.splice(heads.indexOf(earliest), 1);
      else earliest.line = next.value;
    }
  } finally {
    for (const source of sources) await source.return(undefined);
  }
}

/** False when aborted. */
async function waited(stop: AbortSignal): Promise<boolean> {
  await pause(pollMilliseconds, undefined, { signal: stop }).catch(() => undefined);
  return !stop.aborted;
}

/**
 * Age from which a line of a log is shown. Streams are written one by one: only before older lines can no earlier one still
 * appear.
 */
export const visibleAfterMilliseconds = 200;
