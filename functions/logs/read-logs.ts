import { setTimeout as pause } from 'node:timers/promises';

import { groupFolder, listStreams } from './log-files.ts';
import { StreamReader, type LogLine } from './stream-reader.ts';

export interface LogQuery {
  /** Leaves out what came before, epoch milliseconds. */
  readonly since?: number;
  /** Leaves out other streams, by their names. */
  readonly streams?: (name: string) => boolean;
  /** Goes on with what comes, until the signal says stop. */
  readonly follow?: AbortSignal;
}

/** How often followed streams are looked at. */
const lookMilliseconds = 250;

/** The lines of a group, of all its streams by the time they came; none when there is no such group. */
export async function* readLogs(
  /** `logs` in the functions' folder. */
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
    // Always in the same order, so that lines of one millisecond are: positions count them.
    const sorted = [...readers].toSorted(([one], [other]) => (one < other ? -1 : 1));
    for await (const line of merged(sorted.map(([, reader]) => reader.newLines()))) {
      if (line.at >= since) yield line;
    }
    if (!follow || !(await waited(follow))) return;
  }
}

/** The earliest line of any of them, again and again. */
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

/** False when told to stop. */
async function waited(stop: AbortSignal): Promise<boolean> {
  await pause(lookMilliseconds, undefined, { signal: stop }).catch(() => undefined);
  return !stop.aborted;
}
