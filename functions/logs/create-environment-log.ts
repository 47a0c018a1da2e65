import { logTailBytesMax } from '#functions-contract/limits.ts';
import type { Clock } from '#platform/clock.ts';

import type { Logging } from '../configuration/configuration.ts';
import { applicationLine, passesSystem } from './application-line.ts';
import type {
  EnvironmentLog,
  InitReport,
  InitStart,
  InvocationReport,
  LogTail,
} from './environment-log.ts';
import { jsonRecords } from './json-records.ts';
import { LogLines } from './log-lines.ts';
import type { LogStream } from './log-streams.ts';
import type { SystemRecord, SystemRecords } from './system-records.ts';
import { textRecords } from './text-records.ts';

/** What an invocation prints; more is dropped and said so, because it must not fill the disk. */
const outputBytesMax = 256 * 1024;

interface EnvironmentLogOptions {
  /** The logging configuration of the environment. */
  readonly logging: Logging;
  readonly stream: LogStream;
  readonly clock: Clock;
}

export function createEnvironmentLog(options: EnvironmentLogOptions): EnvironmentLog {
  return new Log(options);
}

class Log implements EnvironmentLog {
  readonly #options: EnvironmentLogOptions;
  readonly #records: SystemRecords;
  readonly #lines = new LogLines();
  /** The log tails of the current invocations: several if the function runs them concurrently. */
  readonly #tails = new Map<string, GrowingTail>();
  #bytesStored = 0;
  #dropped = 0;

  constructor(options: EnvironmentLogOptions) {
    this.#options = options;
    const { logging, clock } = options;
    this.#records = logging.LogFormat === 'JSON' ? jsonRecords(clock) : textRecords(clock);
  }

  output(bytes: Uint8Array): void {
    const bytesLeft = Math.max(0, outputBytesMax - this.#bytesStored);
    const stored = bytes.length <= bytesLeft ? bytes : bytes.subarray(0, bytesLeft);
    this.#bytesStored += stored.length;
    this.#dropped += bytes.length - stored.length;
    if (stored.length > 0) for (const line of this.#lines.take(stored)) this.#emitLine(line);
  }

  initStarted(start: InitStart): void {
    this.#endPartialLine();
    this.#emit(this.#records.initStarted(start));
  }

  initEnded(report: InitReport): void {
    this.#endPartialLine();
    this.#emit(this.#records.initEnded(report));
  }

  invocationStarted(requestId: string, version: string, tenantId?: string): void {
    this.#endPartialLine();
    const tail = new GrowingTail();
    this.#emit(this.#records.invocationStarted(requestId, version, tenantId), [tail]);
    this.#tails.set(requestId, tail);
  }

  invocationEnded(report: InvocationReport): LogTail {
    this.#endPartialLine();
    const tail = this.#tails.get(report.requestId) ?? new GrowingTail();
    this.#tails.delete(report.requestId);
    this.#emit(this.#records.invocationEnded(report), [tail]);
    return tail;
  }

  async close(): Promise<void> {
    this.#endPartialLine();
    await this.#options.stream.close();
  }

  /** Ends an incomplete line and logs what was dropped, before anything else is logged. */
  #endPartialLine(): void {
    for (const line of this.#lines.end()) this.#emitLine(line);
    if (this.#dropped > 0) {
      const reason = `Output exceeded ${outputBytesMax} bytes per invocation`;
      // The output can be attributed only if there is exactly one invocation.
      const [requestId, ...others] = this.#tails.keys();
      const one = others.length === 0 ? requestId : undefined;
      this.#emit(this.#records.dropped({ bytes: this.#dropped, reason }, one));
    }
    this.#bytesStored = 0;
    this.#dropped = 0;
  }

  #emitLine(line: string): void {
    const { logging, clock } = this.#options;
    const stored =
      logging.LogFormat === 'JSON'
        ? applicationLine(line, logging.ApplicationLogLevel, clock.now())
        : line;
    if (stored !== undefined) this.#keep(stored, this.#tails.values());
  }

  #emit(
    records: readonly SystemRecord[],
    tails: Iterable<GrowingTail> = [...this.#tails.values()],
  ): void {
    const { logging } = this.#options;
    for (const { level, line } of records) {
      const isText = logging.LogFormat === 'Text';
      if (isText || passesSystem(level, logging.SystemLogLevel)) this.#keep(line, tails);
    }
  }

  /** A program's output goes to the tails of all concurrent invocations. */
  #keep(line: string, tails: Iterable<GrowingTail>): void {
    for (const tail of tails) tail.add(line);
    this.#options.stream.append(line, this.#options.clock.now());
  }
}

/** The last bytes of a growing text; earlier ones are discarded. */
class GrowingTail implements LogTail {
  readonly #lines: string[] = [];
  #characters = 0;

  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length + 1;
    // A character takes at least one byte, so enough characters after a line push it out of the tail.
    if (this.#characters > forgetCharacters) this.#forget();
  }

  bytes(): Buffer {
    const all = Buffer.from(this.#lines.map((line) => `${line}\n`).join(''));
    return all.subarray(Math.max(0, all.length - logTailBytesMax));
  }

  #forget(): void {
    let dropped = 0;
    let left = this.#characters;
    for (const line of this.#lines) {
      if (left - line.length - 1 < logTailBytesMax) break;
      left -= line.length + 1;
      dropped += 1;
    }
    this.#lines.splice(0, dropped);
    this.#characters = left;
  }
}

/** Trimmed only beyond this size, so that a line does not cost a copy of the others. */
const forgetCharacters = 4 * logTailBytesMax;
