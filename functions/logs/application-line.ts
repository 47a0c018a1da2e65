/**
 * A line of a function's output, as a log in the JSON format stores it; undefined when it is less severe than the selected level. A
 * line without a level counts as INFO, and so does a record with an invalid time, which gets a new one.
 */
export function applicationLine(
  line: string,
  selected: ApplicationLevel,
  now: number,
): string | undefined {
  const record = line.startsWith('{') ? readRecord(line) : undefined;
  if (!record) return passesApplication('INFO', selected) ? line : undefined;
  if (!isTime(record['timestamp'])) {
    if (!passesApplication('INFO', selected)) return undefined;
    return textOf(
      {
        ...withoutLevel(record),
        timestamp: new Date(now).toISOString(),
        level: 'INFO',
      },
      line,
    );
  }
  return passesApplication(levelOf(record), selected) ? line : undefined;
}

type LogRecord = Readonly<Record<string, unknown>>;

function readRecord(line: string): LogRecord | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null
      ? Object.fromEntries(Object.entries(record))
      : undefined;
  } catch {
    // Not a record: plain text.
    return undefined;
  }
}

/** The line itself where the record cannot be written: JSON.parse takes any depth, JSON.stringify may overflow the stack. */
function textOf(record: LogRecord, line: string): string {
  try {
    return JSON.stringify(record);
  } catch {
    return line;
  }
}

function levelOf(record: LogRecord): ApplicationLevel {
  for (const [key, value] of Object.entries(record)) {
    if (!isLevelKey(key)) continue;
    const level = readApplicationLevel(value);
    if (level) return level;
  }
  return 'INFO';
}

function withoutLevel(record: LogRecord): LogRecord {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !isLevelKey(key)));
}

/** The Python runtime client writes log_level when it reports an uncaught error. */
function isLevelKey(key: string): boolean {
  return /^(log_)?level$/i.test(key);
}

/** RFC 3339 */
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

function isTime(text: unknown): boolean {
  return typeof text === 'string' && time.test(text) && !Number.isNaN(Date.parse(text));
}

/** Levels from the least severe to the most, in AWS's order (docs/specification/functions.md 2.2). */
const applicationLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;

const systemLevels = ['DEBUG', 'INFO', 'WARN'] as const;

type ApplicationLevel = (typeof applicationLevels)[number];

export type SystemLevel = (typeof systemLevels)[number];

function readApplicationLevel(level: unknown): ApplicationLevel | undefined {
  if (typeof level !== 'string') return undefined;
  const upper = level.toUpperCase();
  return otherNames.get(upper) ?? applicationLevels.find((known) => known === upper);
}

/** The names that Python's logging module and .NET's LogLevel give to two of the levels. */
const otherNames: ReadonlyMap<string, ApplicationLevel> = new Map([
  ['WARNING', 'WARN'],
  ['CRITICAL', 'FATAL'],
]);

/** A record passes if it is at least as severe as the selected level. */
function passesApplication(level: ApplicationLevel, selected: ApplicationLevel): boolean {
  return applicationLevels.indexOf(level) >= applicationLevels.indexOf(selected);
}

export function passesSystem(level: SystemLevel, selected: SystemLevel): boolean {
  return systemLevels.indexOf(level) >= systemLevels.indexOf(selected);
}
