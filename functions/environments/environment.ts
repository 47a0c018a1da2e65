import { initSecondsMax } from '#functions-contract/limits.ts';
import { inBackground } from '#platform/in-background.ts';

import type { Place, Program } from '../launcher/launcher.ts';
import type { EnvironmentLog, Failure, InitStart } from '../logs/environment-log.ts';
import type { RuntimeAnswer, RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import { everythingRead } from './everything-read.ts';
import { PeakMemory } from './peak-memory.ts';
import {
  exitError,
  extensionError,
  responseTooLarge,
  timeoutError,
  type PlatformError,
} from './platform-errors.ts';
import type { InitFailure, Run, Settled } from './run.ts';
import { startRun, type Conversation } from './start-run.ts';

/** What an environment is made of; all of it is its own. */
export interface EnvironmentParts {
  readonly place: Place;
  readonly program: Program;
  /** A conversation for each start of the program. */
  readonly converse: () => Conversation;
  readonly log: EnvironmentLog;
  readonly initStart: InitStart;
  /** `$LATEST` or a number. */
  readonly version: string;
  readonly timeoutSeconds: number;
  readonly memorySizeMiB: number;
  /** Frees what is left once the place is closed. */
  readonly release: () => Promise<void>;
}

export interface Answer {
  readonly outcome: Outcome;
  /** The end of the log, from the start of the invocation on. */
  readonly logTail: Promise<Buffer>;
}

export type Outcome =
  | Extract<RuntimeAnswer, { kind: 'response' | 'stream' }>
  | { readonly kind: 'failed'; readonly payload: Uint8Array; readonly errorType: string };

/**
 * An execution environment: a place that lives on, and a program in it that is started again when it died or ran out of
 * time. `/tmp` survives that, memory does not.
 */
export class Environment {
  readonly #parts: EnvironmentParts;
  #run: Run | undefined;
  /** Resolves when nothing is left of the start before. */
  #over: Promise<void> = Promise.resolve();
  /** How long the start took; told with the first invocation that follows it. */
  #initMilliseconds: number | undefined;
  readonly #peak = new PeakMemory();
  #starting: Promise<InitFailure | undefined> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: EnvironmentParts) {
    this.#parts = parts;
  }

  /** Starts the program ahead of any invocation; undefined once it asks for work. */
  initialise(): Promise<InitFailure | undefined> {
    this.#parts.log.initStarted(this.#parts.initStart);
    return this.#start('init', initSecondsMax * 1000);
  }

  /**
   * Runs one event. A program that died before is started again first, on the time of the invocation; when it reports that it
   * cannot start, the report is the answer.
   */
  async invoke(event: RuntimeEvent): Promise<Answer> {
    const begun = performance.now();
    this.#parts.log.started(event.requestId, this.#parts.version, event.tenantId);
    const settled = await this.#settle(event, begun);
    return this.#answer(event, settled, performance.now() - begun);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { place, log, release } = this.#parts;
    await this.#run?.end('spindown');
    await place.close();
    await log.close();
    await release();
  }

  async #start(phase: 'init' | 'invoke', milliseconds: number): Promise<InitFailure | undefined> {
    const { place, program, converse, log } = this.#parts;
    const { initializationType } = this.#parts.initStart;
    const begun = performance.now();
    await this.#over;
    const started = await startRun(place, program, converse(), milliseconds);
    const took = performance.now() - begun;
    if (started.kind === 'failed') {
      const { failure } = started;
      await everythingRead();
      const report = { initializationType, phase, milliseconds: took };
      log.initEnded({ ...report, failure: failureOf(failure) });
      return failure;
    }
    const { run } = started;
    log.initEnded({ initializationType, phase, milliseconds: took });
    this.#run = run;
    this.#over = run.over;
    this.#initMilliseconds = took;
    inBackground(
      run.program.ended.then(() => {
        if (this.#run === run) this.#run = undefined;
      }),
    );
    return undefined;
  }

  async #settle(event: RuntimeEvent, begun: number): Promise<Settled> {
    const limit = this.#parts.timeoutSeconds * 1000;
    if (!this.#run) {
      // Of several events at once the first starts the program for all.
      this.#starting ??= this.#start('invoke', limit).finally(() => {
        this.#starting = undefined;
      });
      const failure = await this.#starting;
      if (failure) return failure.kind === 'reported' ? { ...failure, kind: 'error' } : failure;
    }
    if (!this.#run) throw new Error('The program is neither ready nor failed.');
    const left = Math.max(0, limit - (performance.now() - begun));
    return this.#run.converse(event, left);
  }

  #answer(event: RuntimeEvent, settled: Settled, milliseconds: number): Answer {
    const { requestId } = event;
    const { timeoutSeconds } = this.#parts;
    const failed = (error: PlatformError, failure?: Failure): Answer => ({
      outcome: { kind: 'failed', ...error },
      logTail: this.#report(event, milliseconds, failure),
    });
    switch (settled.kind) {
      case 'response':
        return { outcome: settled, logTail: this.#report(event, milliseconds) };
      case 'stream':
        return {
          outcome: settled,
          logTail: settled.trailer.then(() => this.#report(event, milliseconds)),
        };
      case 'error':
        return failed({ payload: settled.error.payload, errorType: settled.error.type });
      case 'too-large':
        return failed(responseTooLarge);
      case 'extension':
        return failed(extensionError(requestId, settled), failureOf(settled));
      case 'ended':
        return failed(exitError(requestId, settled.end), failureOf(settled));
      case 'timeout':
        return failed(timeoutError(requestId, timeoutSeconds), {
          status: 'timeout',
          timeoutSeconds,
        });
    }
  }

  async #report(event: RuntimeEvent, milliseconds: number, failure?: Failure): Promise<Buffer> {
    const { log, memorySizeMiB } = this.#parts;
    const initMilliseconds = this.#initMilliseconds;
    this.#initMilliseconds = undefined;
    const run = this.#run;
    await run?.extensionsDone(this.#parts.timeoutSeconds * 1000 - milliseconds);
    await everythingRead();
    return log.ended({
      requestId: event.requestId,
      milliseconds,
      memorySizeMiB,
      peakMemoryBytes: await this.#peak.read(run?.program, milliseconds),
      traceId: event.traceId,
      ...(initMilliseconds === undefined ? {} : { initMilliseconds }),
      ...(failure ? { failure } : {}),
    });
  }
}

function failureOf(failure: InitFailure): Failure {
  switch (failure.kind) {
    case 'timeout':
      return { status: 'timeout' };
    case 'ended':
      return { status: 'error', errorType: 'Runtime.ExitError' };
    case 'extension':
      return { status: 'error', errorType: failure.errorType };
    case 'reported':
      return { status: 'error', errorType: failure.error.type };
  }
}
