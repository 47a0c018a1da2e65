import { setTimeout as delay } from 'node:timers/promises';

import type { Clock } from '#platform/clock.ts';

import type { Sandbox, Program, ProgramEnd, RunningProgram } from '../launcher/launcher.ts';
import type { ShutdownReason } from '../runtime-api/extension.ts';
import type { Extensions } from '../runtime-api/extensions.ts';
import { exitMessage } from '../logs/platform-errors.ts';
import { within } from './within.ts';

/** The programs that run beside the function's own, and what is spoken with them. */
export interface ExtensionSession {
  readonly programs: readonly { readonly name: string; readonly program: Program }[];
  readonly calls: Extensions;
  readonly clock: Clock;
  /** Delivers what they have not been told yet. */
  readonly flush: () => Promise<void>;
}

/** Why the programs beside a function's are not what they should be. */
export type ExtensionFailure =
  | {
      readonly kind: 'extension';
      readonly name: string;
      readonly errorType: string;
      readonly message: string;
    }
  | { readonly kind: 'timeout' }
  /** All programs of the environment were lost. */
  | { readonly kind: 'ended'; readonly end: Extract<ProgramEnd, { readonly kind: 'lost' }> };

interface Running {
  readonly name: string;
  readonly program: RunningProgram;
}

/** One start of all of them; when one fails, all have. */
export class ExtensionPrograms {
  readonly failed: Promise<ExtensionFailure>;
  readonly #beside: ExtensionSession;
  readonly #running: readonly Running[];
  /** The one that has said that it cannot go on: it need not be waited for. */
  #givenUp: string | undefined;
  #ending: Promise<void> | undefined;

  static async start(sandbox: Sandbox, extensions: ExtensionSession): Promise<ExtensionPrograms> {
    const running = await Promise.all(
      extensions.programs.map(async ({ name, program }) => ({
        name,
        program: await sandbox.start(program),
      })),
    );
    return new ExtensionPrograms(extensions, running);
  }

  private constructor(extensions: ExtensionSession, running: readonly Running[]) {
    this.#beside = extensions;
    this.#running = running;
    this.failed = this.#firstFailure();
  }

  /** Waits until all are known; the function's own program starts after that. */
  registered(milliseconds: number): Promise<ExtensionFailure | undefined> {
    return this.#reached(this.#beside.calls.allRegistered(), milliseconds);
  }

  /** Waits until none has anything left to do: after the start, and after each event. */
  waiting(milliseconds: number): Promise<ExtensionFailure | undefined> {
    return this.#reached(this.#beside.calls.allWaiting(), milliseconds);
  }

  /** The start is over: nobody else may register, and all have the processor's share that their memory buys. */
  complete(): void {
    this.#beside.calls.closeRegistration();
    for (const { program } of this.#running) program.throttle();
  }

  /** Tells those that want to know, gives them a moment, and ends all. */
  end(reason: ShutdownReason): Promise<void> {
    this.#ending ??= this.#end(reason);
    return this.#ending;
  }

  async #end(reason: ShutdownReason): Promise<void> {
    const { calls, clock, flush } = this.#beside;
    await within(flushMilliseconds, flush());
    const sent = calls.shutDown(reason, clock.now() + shutdownMilliseconds);
    const leaving = this.#running.filter(
      ({ name }) => sent.includes(name) && name !== this.#givenUp,
    );
    const left = Promise.all(leaving.map(({ program }) => program.ended));
    const late = new AbortController();
    await Promise.race([
      left,
      delay(shutdownMilliseconds, undefined, { signal: late.signal }).catch(() => {}),
    ]);
    late.abort();
    await Promise.all(this.#running.map(({ program }) => program.kill()));
  }

  async #reached(
    state: Promise<void>,
    milliseconds: number,
  ): Promise<ExtensionFailure | undefined> {
    const outcome = Promise.race([state.then(() => undefined), this.failed]);
    const reached = await within(
      Math.max(0, milliseconds),
      outcome.then((failure) => ({ failure })),
    );
    return reached ? reached.failure : { kind: 'timeout' };
  }

  async #firstFailure(): Promise<ExtensionFailure> {
    const reported = this.#beside.calls.failed.then(({ name, errorType, during }) => {
      this.#givenUp = name;
      const message = during === 'init' ? 'could not start' : 'could not go on';
      return { kind: 'extension' as const, name, errorType, message };
    });
    const ended = this.#running.map(async ({ name, program }) => {
      const end = await program.ended;
      if (end.kind === 'lost') return { kind: 'ended' as const, end };
      const message = exitMessage(end).replace(/^Runtime /, '');
      return { kind: 'extension' as const, name, errorType: 'Extension.Crash', message };
    });
    return Promise.race([reported, ...ended]);
  }
}

/** As long as the vendor gives. */
const shutdownMilliseconds = 2000;
const flushMilliseconds = 500;
