import { setTimeout as delay } from 'node:timers/promises';

import { type Clock, hostTime } from '#platform/clock.ts';

import type { Sandbox, Program, ProgramEnd, RunningProgram } from '../launcher/launcher.ts';
import type { EnvironmentLog } from '../logs/environment-log.ts';
import { exitMessage } from '../logs/platform-errors.ts';
import type { ShutdownReason } from '../runtime-api/extension.ts';
import { Extensions } from '../runtime-api/extensions.ts';
import { createTelemetry, type Telemetry } from '../runtime-api/telemetry.ts';
import { deliverInSandbox } from './deliver-in-sandbox.ts';
import type { EnvironmentPorts } from './environment-ports.ts';
import { extensionsFolder } from './plan-program.ts';
import { TelemetryLog } from './telemetry-log.ts';
import type { VersionSpec } from './version-spec.ts';
import { within } from './within.ts';

/** What an environment provides to its extensions: the Extensions API, telemetry, a log. It outlives their restarts. */
export class ExtensionHost {
  readonly log: TelemetryLog;
  readonly #ports: EnvironmentPorts;
  readonly #spec: VersionSpec;
  readonly #names: readonly string[];
  readonly #telemetry: Telemetry;

  /** `names` are those of the extensions. */
  constructor(
    ports: EnvironmentPorts,
    spec: VersionSpec,
    names: readonly string[],
    log: EnvironmentLog,
    sandbox: () => Sandbox,
  ) {
    this.#ports = ports;
    this.#spec = spec;
    this.#names = names;
    this.#telemetry = createTelemetry((destination, body) =>
      deliverInSandbox(sandbox(), destination, body),
    );
    this.log = new TelemetryLog(log, this.#telemetry, ports.clock);
  }

  /** The session of one start; `own` is the function's program, and `output` receives the extensions' output. */
  begin(
    own: Program,
    output: string,
  ): { readonly calls: Extensions; readonly extensions?: ExtensionSession } {
    const { random, accountId, clock } = this.#ports;
    const { functionName, version, configuration } = this.#spec;
    const telemetry = this.#telemetry;
    const calls = new Extensions({
      functionName,
      functionVersion: version,
      handler: configuration.Handler ?? '',
      accountId,
      external: this.#names,
      random,
      telemetry,
    });
    if (this.#names.length === 0) return { calls };
    const programs = this.#names.map((name) => ({ name, program: programOf(name, own, output) }));
    const { terminationMilliseconds = terminationMillisecondsDefault } = this.#ports;
    const flush = (): Promise<void> => telemetry.flush();
    return { calls, extensions: { programs, calls, clock, terminationMilliseconds, flush } };
  }
}

function programOf(name: string, own: Program, output: string): Program {
  const environment = Object.entries(own.environment).filter(([key]) => !ofFunctionOnly.has(key));
  return {
    command: [`${extensionsFolder}/${name}`],
    directory: '/',
    environment: Object.fromEntries(environment),
    output,
  };
}

const ofFunctionOnly: ReadonlySet<string> = new Set([
  '_HANDLER',
  'AWS_EXECUTION_ENV',
  'HOB_RUNTIME_SOCKET',
]);

/** The extensions of one start, and their session. */
export interface ExtensionSession {
  readonly programs: readonly { readonly name: string; readonly program: Program }[];
  readonly calls: Extensions;
  readonly clock: Clock;
  /** Time for the function's program to end before they do. */
  readonly terminationMilliseconds: number;
  /** Delivers telemetry that is still buffered. */
  readonly flush: () => Promise<void>;
}

/** How the extensions of a function failed. */
export type ExtensionHostFailure =
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
  readonly failed: Promise<ExtensionHostFailure>;
  readonly #session: ExtensionSession;
  readonly #running: readonly Running[];
  /** The extension that reported an error: it need not be waited for. */
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
    this.#session = extensions;
    this.#running = running;
    this.failed = this.#firstFailure();
  }

  get terminationMilliseconds(): number {
    return this.#session.terminationMilliseconds;
  }

  /** Waits until all have registered; only then does the function's own program start. */
  registered(milliseconds: number): Promise<ExtensionHostFailure | undefined> {
    return this.#reached(this.#session.calls.allRegistered(), milliseconds);
  }

  /** Waits until all request their next event: after the start, and after each invocation. */
  waiting(milliseconds: number): Promise<ExtensionHostFailure | undefined> {
    return this.#reached(this.#session.calls.allWaiting(), milliseconds);
  }

  /** Ends the init phase: no other extension may register, and all are limited to the processor share of their memory size. */
  complete(): void {
    this.#session.calls.closeRegistration();
    for (const { program } of this.#running) program.throttle();
  }

  /** Sends SHUTDOWN to those that registered for it, waits briefly, and ends all. */
  end(reason: ShutdownReason): Promise<void> {
    this.#ending ??= this.#end(reason);
    return this.#ending;
  }

  async #end(reason: ShutdownReason): Promise<void> {
    const { calls, clock, flush } = this.#session;
    await within(flushMilliseconds, flush());
    const sent = calls.shutDown(reason, hostTime(clock) + shutdownMilliseconds);
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
  ): Promise<ExtensionHostFailure | undefined> {
    const outcome = Promise.race([state.then(() => undefined), this.failed]);
    const reached = await within(
      Math.max(0, milliseconds),
      outcome.then((failure) => ({ failure })),
    );
    return reached ? reached.failure : { kind: 'timeout' };
  }

  async #firstFailure(): Promise<ExtensionHostFailure> {
    const reported = this.#session.calls.failed.then(({ name, errorType, during }) => {
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

/** Time for the program of a function with extensions to end after SIGTERM; then they receive SHUTDOWN, as on AWS. */
const terminationMillisecondsDefault = 300;

/** Time for extensions to end after SHUTDOWN, if they registered for it, as on AWS. */
const shutdownMilliseconds = 2000;

/** Time for the last telemetry before it. */
const flushMilliseconds = 500;
