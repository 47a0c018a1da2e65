import type { Clock } from '#platform/clock.ts';

import type {
  EnvironmentLog,
  InitReport,
  InitStart,
  InvocationReport,
  LogTail,
} from '../logs/environment-log.ts';
import { jsonRecords } from '../logs/json-records.ts';
import { LogLines } from '../logs/log-lines.ts';
import type { SystemRecord, SystemRecords } from '../logs/system-records.ts';
import type { Telemetry } from '../runtime-api/telemetry.ts';

/** Sends log events to telemetry subscribers, regardless of the log's format and levels. */
export class TelemetryLog implements EnvironmentLog {
  readonly #log: EnvironmentLog;
  readonly #telemetry: Telemetry;
  readonly #clock: Clock;
  readonly #records: SystemRecords;
  readonly #functionLines = new LogLines();
  readonly #extensionLines = new LogLines();

  constructor(log: EnvironmentLog, telemetry: Telemetry, clock: Clock) {
    this.#log = log;
    this.#telemetry = telemetry;
    this.#clock = clock;
    this.#records = jsonRecords(clock);
  }

  output(bytes: Uint8Array): void {
    this.#log.output(bytes);
    if (!this.#telemetry.isHeard()) return;
    for (const line of this.#functionLines.take(bytes)) this.#printed('function', line);
  }

  /** The output of extensions; in whole lines, so that it does not mix with that of others. */
  extensionOutput(bytes: Uint8Array): void {
    for (const line of this.#extensionLines.take(bytes)) {
      this.#log.output(Buffer.from(`${line}\n`));
      this.#printed('extension', line);
    }
  }

  initStarted(start: InitStart): void {
    this.#log.initStarted(start);
    this.#publish(() => this.#records.initStarted(start));
  }

  initEnded(report: InitReport): void {
    this.#log.initEnded(report);
    this.#publish(() => this.#records.initEnded(report));
  }

  invocationStarted(requestId: string, version: string, tenantId?: string): void {
    this.#log.invocationStarted(requestId, version, tenantId);
    this.#publish(() => this.#records.invocationStarted(requestId, version, tenantId));
  }

  invocationEnded(report: InvocationReport): LogTail {
    const tail = this.#log.invocationEnded(report);
    this.#publish(() => this.#records.invocationEnded(report));
    return tail;
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #printed(type: 'function' | 'extension', record: string): void {
    this.#telemetry.publish({ time: new Date(this.#clock.now()).toISOString(), type, record });
  }

  #publish(records: () => readonly SystemRecord[]): void {
    if (!this.#telemetry.isHeard()) return;
    for (const { line } of records()) this.#telemetry.publish(JSON.parse(line));
  }
}
