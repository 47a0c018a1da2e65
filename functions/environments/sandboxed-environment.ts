import { initSecondsMax } from '#functions-contract/limits.ts';
import { type Clock, hostTime } from '#platform/clock.ts';
import { inBackground } from '#platform/in-background.ts';
import { present } from '#platform/present.ts';

import type { Sandbox, Program, RunningProgram } from '../launcher/launcher.ts';
import type { EnvironmentLog, Failure, InitStart, LogTail } from '../logs/environment-log.ts';
import {
  exitError,
  extensionError,
  responseTooLarge,
  timeoutError,
  type PlatformError,
} from '../logs/platform-errors.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import type { InvocationChain } from './invocation-chain.ts';
import { waitForOutput } from './within.ts';
import {
  EnvironmentLostError,
  type ExecutionEnvironment,
  type InvocationResult,
} from './execution-environment.ts';
import { PeakMemory } from './peak-memory.ts';
import {
  failureOf,
  type InitFailure,
  outOfMemory,
  type RuntimeProcess,
  type RuntimeOutcome,
  type StreamedOutcome,
  startRuntimeProcess,
  type RuntimeSession,
  type StartedRuntime,
} from './runtime-process.ts';

/** The parts of an environment, which it owns. */
interface EnvironmentParts {
  readonly sandbox: Sandbox;
  readonly program: Program;
  /** A new session for each start of the program. */
  readonly newSession: () => RuntimeSession;
  readonly log: EnvironmentLog;
  readonly chain: InvocationChain;
  readonly clock: Clock;
  readonly initStart: InitStart;
  /** `$LATEST` or a number. */
  readonly version: string;
  readonly timeoutSeconds: number;
  readonly memorySizeMiB: number;
  /** Its credentials end before another event might. */
  readonly isExpired: () => boolean;
  /** Releases the remaining resources after the sandbox is closed. */
  readonly release: () => Promise<void>;
}

/**
 * An execution environment: a sandbox, and a program in it that is restarted after it has exited or timed out. `/tmp` survives a
 * restart, memory does not.
 */
export class SandboxedEnvironment implements ExecutionEnvironment {
  readonly isExpired: () => boolean;
  readonly #parts: EnvironmentParts;
  #run: RuntimeProcess | undefined;
  /** The program of the last run; its memory is reported even after it has ended. */
  #lastProgram: RunningProgram | undefined;
  /** Resolves when all processes of the previous start have ended. */
  #over: Promise<void> = Promise.resolve();
  /** How long the start took; reported with the first invocation after it. */
  #initMilliseconds: number | undefined;
  readonly #peak = new PeakMemory();
  #starting: Promise<StartedRuntime> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: EnvironmentParts) {
    this.#parts = parts;
    this.isExpired = parts.isExpired;
  }

  /** Starts the program ahead of any invocation; undefined once it requests its first event. */
  async initialise(): Promise<InitFailure | undefined> {
    this.#parts.log.initStarted(this.#parts.initStart);
    const started = await this.#start('init', initSecondsMax * 1000);
    return started.kind === 'failed' ? started.failure : undefined;
  }

  /**
   * Runs one event. A program that has exited is restarted first, within the invocation's timeout; if it reports an init error, that
   * error is the response.
   */
  async process(event: RuntimeEvent): Promise<InvocationResult> {
    // A start that has failed left extensions that still end: not in the time of the event.
    await this.recovered();
    let startedAt = performance.now();
    this.#parts.log.invocationStarted(event.requestId, this.#parts.version, event.tenantId);
    const ended = this.#parts.chain.begin(event.traceHeader);
    try {
      let outcome = await this.#runEvent(event, startedAt);
      if (isUnseen(outcome)) {
        // The program had ended after its previous event and never read this one: it is restarted, once.
        const endedAt = performance.now();
        await this.recovered();
        startedAt += performance.now() - endedAt;
        outcome = await this.#runEvent(event, startedAt);
      }
      const result = this.#result(event, outcome, startedAt);
      // After the end of a streamed response.
      result.logTail.then(ended, ended);
      return result;
    } catch (error) {
      ended();
      // The log has a START line for the event, so it gets an END line too.
      await this.#report(event, performance.now() - startedAt, sandboxFailure);
      throw error;
    }
  }

  async recovered(): Promise<void> {
    if (!this.#run) await this.#over;
  }

  onLost(listener: () => void): void {
    this.#parts.sandbox.onLost(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** A part that cannot be closed does not stop the others from being closed. */
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

  async #start(phase: 'init' | 'invoke', milliseconds: number): Promise<StartedRuntime> {
    const { log } = this.#parts;
    const { initializationType } = this.#parts.initStart;
    const startedAt = performance.now();
    await this.#over;
    const started = await this.#startRun(milliseconds);
    const took = performance.now() - startedAt;
    if (started.kind === 'failed') {
      const { failure } = started;
      this.#over = started.over;
      await waitForOutput();
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

  async #startRun(milliseconds: number): Promise<StartedRuntime> {
    const { sandbox, program, newSession } = this.#parts;
    let started: StartedRuntime;
    try {
      started = await startRuntimeProcess(sandbox, program, newSession(), milliseconds);
    } catch (cause) {
      throw new EnvironmentLostError(false, { cause });
    }
    if (started.kind === 'failed' && isLost(started.failure)) throw new EnvironmentLostError(false);
    return started;
  }

  async #runEvent(event: RuntimeEvent, startedAt: number): Promise<RuntimeOutcome> {
    const limit = this.#parts.timeoutSeconds * 1000;
    let run = this.#run;
    if (!run) {
      const started = await this.#restarted(limit);
      if (started.kind === 'failed') {
        const { failure } = started;
        return failure.kind === 'reported' ? { ...failure, kind: 'error' } : failure;
      }
      ({ run } = started);
    }
    const left = Math.max(0, limit - (performance.now() - startedAt));
    const deadline = Math.ceil(hostTime(this.#parts.clock) + left);
    const outcome = await run.respondTo({ ...event, deadline }, left);
    if (isLost(outcome)) throw new EnvironmentLostError(!isUnseen(outcome));
    return outcome;
  }

  /** Of several concurrent events the first starts the program for all. */
  #restarted(limit: number): Promise<StartedRuntime> {
    this.#starting ??= this.#start('invoke', limit).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  #result(event: RuntimeEvent, outcome: RuntimeOutcome, startedAt: number): InvocationResult {
    const { requestId } = event;
    const milliseconds = performance.now() - startedAt;
    const { timeoutSeconds } = this.#parts;
    const failed = (error: PlatformError, failure?: Failure): InvocationResult => ({
      outcome: { kind: 'failed', ...error },
      logTail: this.#report(event, milliseconds, failure),
    });
    switch (outcome.kind) {
      case 'response':
        return { outcome: outcome, logTail: this.#report(event, milliseconds) };
      case 'stream':
        return this.#streamed(event, outcome, startedAt);
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

  /** The invocation lasts until the end of the stream. */
  #streamed(
    event: RuntimeEvent,
    { ended, ...response }: StreamedOutcome,
    startedAt: number,
  ): InvocationResult {
    const { timeoutSeconds } = this.#parts;
    const trailer = ended.then((end) => {
      if (end.kind === 'sent') return end.error;
      const { payload, errorType } = timeoutError(event.requestId, timeoutSeconds);
      return { payload, type: errorType };
    });
    const logTail = ended.then(({ kind }) =>
      this.#report(
        event,
        performance.now() - startedAt,
        kind === 'timeout' ? { status: 'timeout', timeoutSeconds } : undefined,
      ),
    );
    return { outcome: { ...response, trailer }, logTail };
  }

  async #report(event: RuntimeEvent, milliseconds: number, failure?: Failure): Promise<LogTail> {
    const { log, memorySizeMiB } = this.#parts;
    const initMilliseconds = this.#initMilliseconds;
    this.#initMilliseconds = undefined;
    await this.#run?.extensionsDone(this.#parts.timeoutSeconds * 1000 - milliseconds);
    await waitForOutput();
    const peak =
      failure?.errorType === outOfMemory
        ? memorySizeMiB * 2 ** 20
        : (this.#peak.known(this.#lastProgram, milliseconds) ??
          (await this.#peak.read(this.#lastProgram)));
    return log.invocationEnded({
      requestId: event.requestId,
      milliseconds,
      memorySizeMiB,
      peakMemoryBytes: peak,
      traceHeader: event.traceHeader,
      ...present({ initMilliseconds, failure }),
    });
  }
}

/** The failure of an event whose environment was lost. */
const sandboxFailure: Failure = { status: 'failure', errorType: 'Sandbox.Failure' };

function isUnseen(outcome: RuntimeOutcome): boolean {
  return outcome.kind === 'ended' && outcome.isUnseen === true;
}

function isLost(outcome: RuntimeOutcome | InitFailure): boolean {
  return outcome.kind === 'ended' && outcome.end.kind === 'lost';
}
