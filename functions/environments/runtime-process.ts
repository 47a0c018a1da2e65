import { inBackground } from '#platform/in-background.ts';

import type { Sandbox, Program, ProgramEnd, RunningProgram } from '../launcher/launcher.ts';
import type { Failure } from '../logs/environment-log.ts';
import type { ShutdownReason } from '../runtime-api/extension.ts';
import type {
  RuntimeResponse,
  RuntimeChannel,
  RuntimeError,
  DeliveredEvent,
} from '../runtime-api/runtime-channel.ts';
import {
  type ExtensionHostFailure,
  ExtensionPrograms,
  type ExtensionSession,
} from './extension-host.ts';
import { waitForOutput, within } from './within.ts';

/** Why a program did not request its first event. */
export type InitFailure =
  /** It reported an init error. */
  | { readonly kind: 'reported'; readonly error: RuntimeError }
  | { readonly kind: 'ended'; readonly end: ProgramEnd }
  /** It took too long, or an extension failed. */
  | ExtensionHostFailure;

export type RuntimeOutcome =
  | Exclude<RuntimeResponse, { kind: 'gone' | 'stream' }>
  | StreamedOutcome
  /** `isUnseen`: before it could read the event. */
  | { readonly kind: 'ended'; readonly end: ProgramEnd; readonly isUnseen?: boolean }
  | Exclude<ExtensionHostFailure, { kind: 'ended' }>;

/** A response whose end is still to come. */
export interface StreamedOutcome extends Omit<StreamedResponse, 'trailer'> {
  readonly ended: Promise<StreamEnd>;
}

type StreamedResponse = Extract<RuntimeResponse, { kind: 'stream' }>;

export type StreamEnd =
  | { readonly kind: 'sent'; readonly error: RuntimeError | undefined }
  | { readonly kind: 'timeout' };

/**
 * Time that a program that is ready has the whole processor: a runtime client may request its first event while it still loads
 * modules that it needs to respond, which is part of the start.
 */
const graceMilliseconds = 100;

/** One run of a program and its extensions: when one ends, all end. */
export class RuntimeProcess {
  readonly program: RunningProgram;
  /** Resolves when all its processes have ended. */
  readonly over: Promise<void>;
  readonly #channel: RuntimeChannel;
  readonly #extensions: ExtensionPrograms | undefined;
  #endsFor: ShutdownReason = 'failure';
  #failure: ExtensionHostFailure | undefined;

  static async start(
    sandbox: Sandbox,
    program: Program,
    channel: RuntimeChannel,
    extensions: ExtensionPrograms | undefined,
  ): Promise<RuntimeProcess> {
    return new RuntimeProcess(await sandbox.start(program), channel, extensions);
  }

  private constructor(
    program: RunningProgram,
    channel: RuntimeChannel,
    extensions: ExtensionPrograms | undefined,
  ) {
    this.program = program;
    this.#channel = channel;
    this.#extensions = extensions;
    this.over = this.#untilOver();
    if (extensions) inBackground(this.#killOnFailure(extensions));
  }

  /** Waits until the program requests its first event; undefined when it does. Kills it on failure. */
  async initialised(milliseconds: number): Promise<InitFailure | undefined> {
    const startedAt = performance.now();
    const outcome = await within(milliseconds, this.#channel.initialised);
    switch (outcome?.kind) {
      case 'ready':
        return this.#allReady(milliseconds - (performance.now() - startedAt));
      case 'gone':
        return this.#failure ?? { kind: 'ended', end: await this.program.ended };
      case 'failed':
        await this.program.kill();
        return { kind: 'reported', error: outcome.error };
      case undefined:
        await this.program.kill();
        return { kind: 'timeout' };
    }
  }

  /** Sends an event. A program that takes longer is killed, with everything that it started. */
  async respondTo(event: DeliveredEvent, milliseconds: number): Promise<RuntimeOutcome> {
    const startedAt = performance.now();
    const response = await within(milliseconds, this.#channel.exchange(event));
    if (response === undefined) return this.#timedOut();
    if (response.kind === 'stream') {
      const { trailer, ...streamed } = response;
      const left = Math.max(0, milliseconds - (performance.now() - startedAt));
      return { ...streamed, ended: this.#streamEnd(trailer, left) };
    }
    if (response.kind !== 'gone') return response;
    const isUnseen = !response.delivered;
    return this.#failure ?? { kind: 'ended', end: await this.program.ended, isUnseen };
  }

  /** The function's timeout includes the time in which it streams its response. */
  async #streamEnd(trailer: StreamedResponse['trailer'], milliseconds: number): Promise<StreamEnd> {
    const sent = trailer.then((error) => ({ kind: 'sent' as const, error }));
    return (await within(milliseconds, sent)) ?? this.#timedOut();
  }

  async #timedOut(): Promise<{ readonly kind: 'timeout' }> {
    this.#endsFor = 'timeout';
    await this.program.kill();
    return { kind: 'timeout' };
  }

  /** Waits until the extensions have processed an event; ends the run if they exceed the limit. */
  async extensionsDone(milliseconds: number): Promise<void> {
    const failure = await this.#extensions?.waiting(milliseconds);
    if (!failure) return;
    this.#endsFor = failure.kind === 'timeout' ? 'timeout' : 'failure';
    await this.program.kill();
  }

  /** With extensions, the program is asked to end before them, as on AWS; without, it is killed at once. */
  async end(reason: ShutdownReason): Promise<void> {
    this.#endsFor = reason;
    if (this.#extensions) {
      this.program.terminate();
      await within(this.#extensions.terminationMilliseconds, this.program.ended);
    }
    await this.#extensions?.end(reason);
    await this.program.kill();
    await this.over;
  }

  async #allReady(milliseconds: number): Promise<InitFailure | undefined> {
    const failure = await this.#extensions?.waiting(milliseconds);
    this.#extensions?.complete();
    if (failure) await this.program.kill();
    else setTimeout(() => this.program.throttle(), graceMilliseconds).unref();
    return failure;
  }

  async #killOnFailure({ failed }: ExtensionPrograms): Promise<void> {
    this.#failure = await failed;
    await this.program.kill();
  }

  /** The session stays open while the extensions receive SHUTDOWN. */
  async #untilOver(): Promise<void> {
    await this.program.ended;
    // An event that was sent to the program as it ended has failed by then (its connection is closed), so the channel counts it as not delivered.
    await waitForOutput();
    this.#channel.programEnded();
    await this.#extensions?.end(this.#endsFor);
    this.#channel.close();
  }
}

/** The sessions with the programs of one start. */
export interface RuntimeSession {
  readonly channel: RuntimeChannel;
  /** Undefined: the function has no extensions. */
  readonly extensions: ExtensionSession | undefined;
}

export type StartedRuntime =
  | { readonly kind: 'ready'; readonly run: RuntimeProcess }
  /** `over` resolves when all its processes have ended. */
  | { readonly kind: 'failed'; readonly failure: InitFailure; readonly over: Promise<void> };

/** Starts a function's extensions and then its program; ready when all of them request an event. */
export async function startRuntimeProcess(
  sandbox: Sandbox,
  program: Program,
  { channel, extensions: extensionSession }: RuntimeSession,
  milliseconds: number,
): Promise<StartedRuntime> {
  const startedAt = performance.now();
  const left = (): number => milliseconds - (performance.now() - startedAt);
  const extensions = extensionSession && (await ExtensionPrograms.start(sandbox, extensionSession));
  const unknown = await extensions?.registered(milliseconds);
  if (unknown) {
    await extensions?.end('failure');
    channel.close();
    return { kind: 'failed', failure: unknown, over: Promise.resolve() };
  }
  const run = await RuntimeProcess.start(sandbox, program, channel, extensions);
  const failure = await run.initialised(left());
  return failure ? { kind: 'failed', failure, over: run.over } : { kind: 'ready', run };
}

/** The error type that AWS logs for a runtime that was killed at the function's memory limit. */
export const outOfMemory = 'Runtime.OutOfMemory';

/** Callers get the same message for every signal; only the log says that the function ran out of memory. */
export function failureOf(failure: InitFailure): Failure {
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
