import { readLogs } from '../../logs/read-logs.ts';
import type { LogLine } from '../../logs/stream-reader.ts';

/** Bytes of a log that a page reads; then it stops, and says so. */
const readBytesMax = 16 * 1024 * 1024;

export interface RecentLines {
  /** The last ones of those that pass, oldest first. */
  readonly lines: readonly LogLine[];
  /** Whether earlier lines passed too. */
  readonly more: boolean;
  /** Whether the log had more bytes than a page reads. */
  readonly truncated: boolean;
}

/** The last lines of a log group since a time. */
export async function readRecentLines(
  logFolder: string,
  group: string,
  {
    since,
    max,
    passes = () => true,
  }: {
    readonly since: number;
    readonly max: number;
    readonly passes?: (text: string) => boolean;
  },
): Promise<RecentLines> {
  const lines: LogLine[] = [];
  let bytes = 0;
  let more = false;
  for await (const line of readLogs(logFolder, group, { since })) {
    bytes += line.text.length;
    if (bytes > readBytesMax) return { lines, more, truncated: true };
    if (!passes(line.text)) continue;
    lines.push(line);
    if (lines.length <= max) continue;
    lines.shift();
    more = true;
  }
  return { lines, more, truncated: false };
}
