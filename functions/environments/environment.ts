import { initSecondsMax } from '#functions-contract/limits.ts';
import { inBackground } from '#platform/in-background.ts';

import type { Sandbox, Program, ProgramEnd, RunningProgram } from '../launcher/launcher.ts';
import type { EnvironmentLog, Failure, InitStart } from '../logs/environment-log.ts';
import {
  exitError,
  extensionError,
  responseTooLarge,
  timeoutError,
  type PlatformError,
} from '../logs/platform-errors.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import { drainOutput } from './drain-output.ts';
import {
  EnvironmentLostError,
  type ExecutionEnvironment,
  type Answer,
} from './execution-environment.ts';
import type { InitFailure, RuntimeProcess, RuntimeOutcome } from './runtime-process.ts';
import { startRuntimeProcess, type RuntimeSession, type Started } from './start-runtime-process.ts';

/** What an environment is made of; all of it is its own. */
interface EnvironmentParts {
  readonly sandbox: Sandbox;
  readonly program: Program;
  /** A conversation for each start of the program. */
  readonly converse: () => RuntimeSession;
  readonly log: EnvironmentLog;
  readonly initStart: InitStart;
  /** `$LATEST` or a number. */
  readonly version: string;
  readonly timeoutSeconds: number;
  readonly memorySizeMiB: number;
  /** Frees what is left once the place is closed. */
  readonly release: () => Promise<void>;
}

/**
 * An execution environment: a place that lives on, and a program in it that is started again when it died or ran out of
 * time. `/tmp` survives that, memory does not.
 */
export class Environment implements ExecutionEnvironment {
  readonly #parts: EnvironmentParts;
  #run: RuntimeProcess | undefined;
  /** Of the last run; its memory is reported also when it has ended. */
  #lastProgram: RunningProgram | undefined;
  /** Resolves when nothing is left of the start before. */
  #over: Promise<void> = Promise.resolve();
  /** How long the start took; told with the first invocation that follows it. */
  #initMilliseconds: number | undefined;
  readonly #peak = new PeakMemory();
  #starting: Promise<Started> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: EnvironmentParts) {
    this.#parts = parts;
  }

  /** Starts the program ahead of any invocation; undefined once it asks for work. */
  async initialise(): Promise<InitFailure | undefined> {
    this.#parts.log.initStarted(this.#parts.initStart);
    const started = await this.#start('init', initSecondsMax * 1000);
    return started.kind === 'failed' ? started.failure : undefined;
  }

  /**
   * Runs one event. A program that died before is started again first, on the time of the invocation; when it reports that it
   * cannot start, the report is the answer.
   */
  async invoke(event: RuntimeEvent): Promise<Answer> {
    const startedAt = performance.now();
    this.#parts.log.started(event.requestId, this.#parts.version, event.tenantId);
    try {
      const outcome = await this.#settle(event, startedAt);
      return this.#answer(event, outcome, performance.now() - startedAt);
    } catch (error) {
      // The log says that the event began, so it says that it ended.
      await this.#report(event, performance.now() - startedAt, sandboxFailure);
      throw error;
    }
  }

  onLost(listener: () => void): void {
    this.#parts.sandbox.onLost(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Whatever cannot be closed keeps nothing else open. */
  async #close(): Promise<void> {
    const { sandbox, log, release } = this.#parts;
    const run = this.#run;
    const steps = [() => run?.end('spindown'), () => sandbox.close(), () => log.close(), release];
    const errors: unknown[] = [];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) {
      throw new AggregateError(errors, 'Removing an execution environment failed.');
    }
  }

  async #start(phase: 'init' | 'invoke', milliseconds: number): Promise<Started> {
    const { log } = this.#parts;
    const { initializationType } = this.#parts.initStart;
    const startedAt = performance.now();
    await this.#over;
    const started = await this.#startRun(milliseconds);
    const took = performance.now() - startedAt;
    if (started.kind === 'failed') {
      const { failure } = started;
      await drainOutput();
      const report = { initializationType, phase, milliseconds: took };
      log.initEnded({ ...report, failure: failureOf(failure) });
      return started;
    }
    const { run } = started;
    log.initEnded({ initializationType, phase, milliseconds: took });
    this.#run = run;
    this.#lastProgram = run.program;
    this.#over = run.over;
    this.#initMilliseconds = took;
    inBackground(
      run.program.ended.then(() => {
        if (this.#run === run) this.#run = undefined;
      }),
    );
    return started;
  }

  async #startRun(milliseconds: number): Promise<Started> {
    const { sandbox, program, converse } = this.#parts;
    let started: Started;
    try {
      started = await startRuntimeProcess(sandbox, program, converse(), milliseconds);
    } catch (cause) {
      throw new EnvironmentLostError(false, { cause });
    }
    if (started.kind === 'failed' && isLost(started.failure)) throw new EnvironmentLostError(false);
    return started;
  }

  async #settle(event: RuntimeEvent, startedAt: number): Promise<RuntimeOutcome> {
    const limit = this.#parts.timeoutSeconds * 1000;
    const started = await this.#running(limit);
    if (started.kind === 'failed') {
      const { failure } = started;
      return failure.kind === 'reported' ? { ...failure, kind: 'error' } : failure;
    }
    const left = Math.max(0, limit - (performance.now() - startedAt));
    const outcome = await started.run.converse(event, left);
    if (isLost(outcome)) throw new EnvironmentLostError(true);
    return outcome;
  }

  /** The run that there is, or a new one: of several events at once the first starts it for all. */
  #running(limit: number): Started | Promise<Started> {
    if (this.#run) return { kind: 'ready', run: this.#run };
    this.#starting ??= this.#start('invoke', limit).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  #answer(event: RuntimeEvent, outcome: RuntimeOutcome, milliseconds: number): Answer {
    const { requestId } = event;
    const { timeoutSeconds } = this.#parts;
    const failed = (error: PlatformError, failure?: Failure): Answer => ({
      outcome: { kind: 'failed', ...error },
      logTail: this.#report(event, milliseconds, failure),
    });
    switch (outcome.kind) {
      case 'response':
        return { outcome: outcome, logTail: this.#report(event, milliseconds) };
      case 'stream':
        return {
          outcome: outcome,
          logTail: outcome.trailer.then(() => this.#report(event, milliseconds)),
        };
      case 'error':
        return failed({ payload: outcome.error.payload, errorType: outcome.error.type });
      case 'too-large':
        return failed(responseTooLarge);
      case 'extension':
        return failed(extensionError(requestId, outcome), failureOf(outcome));
      case 'ended':
        return failed(exitError(requestId, outcome.end), failureOf(outcome));
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
    await drainOutput();
    const peak =
      failure?.errorType === outOfMemory
        ? memorySizeMiB * 2 ** 20
        : await this.#peak.read(this.#lastProgram, milliseconds);
    return log.ended({
      requestId: event.requestId,
      milliseconds,
      memorySizeMiB,
      peakMemoryBytes: peak,
      traceId: event.traceId,
      ...(initMilliseconds === undefined ? {} : { initMilliseconds }),
      ...(failure ? { failure } : {}),
    });
  }
}

/** Of an event whose environment was lost. */
const sandboxFailure: Failure = { status: 'failure', errorType: 'Sandbox.Failure' };

function isLost(outcome: RuntimeOutcome | InitFailure): boolean {
  return outcome.kind === 'ended' && outcome.end.kind === 'lost';
}

/** The type that the service's log has for a runtime that the kernel killed at the function's memory limit. */
const outOfMemory = 'Runtime.OutOfMemory';

/** The caller is told of any end by a signal in the same words; only the log says that it was for want of memory. */
function failureOf(failure: InitFailure): Failure {
  switch (failure.kind) {
    case 'timeout':
      return { status: 'timeout' };
    case 'ended':
      return { status: 'error', errorType: endType(failure.end) };
    case 'extension':
      return { status: 'error', errorType: failure.errorType };
    case 'reported':
      return { status: 'error', errorType: failure.error.type };
  }
}

function endType(end: ProgramEnd): string {
  return end.kind === 'killed' && end.outOfMemory ? outOfMemory : 'Runtime.ExitError';
}

/** Milliseconds for which a reading is good: asking the launcher at every invocation would cost more than a short function. */
const freshMilliseconds = 250;

/** An invocation that took longer can afford the question, and may well have made the program grow. */
const shortMilliseconds = 10;

/** The most memory that a program has used, in bytes; it only grows, so an old reading is merely a little low. */
class PeakMemory {
  #program: RunningProgram | undefined;
  #readAt = 0;
  #bytes = 0;

  /** After an invocation that took so long. */
  async read(program: RunningProgram | undefined, milliseconds: number): Promise<number> {
    const now = performance.now();
    const fresh = milliseconds < shortMilliseconds && now - this.#readAt < freshMilliseconds;
    if (!program || (program === this.#program && fresh)) return this.#bytes;
    this.#program = program;
    this.#readAt = now;
    // A launcher that has died knows nothing any more: what was read last stands.
    this.#bytes = await program.peakMemory().catch(() => this.#bytes);
    return this.#bytes;
  }
}
