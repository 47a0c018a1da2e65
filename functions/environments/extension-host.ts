import type { Sandbox, Program } from '../launcher/launcher.ts';
import type { EnvironmentLog } from '../logs/environment-log.ts';
import { Extensions } from '../runtime-api/extensions.ts';
import { createTelemetry, type Telemetry } from '../runtime-api/telemetry.ts';
import { deliverInside } from './deliver-inside.ts';
import type { EnvironmentHost } from './environment-host.ts';
import type { ExtensionSession } from './extension-programs.ts';
import { extensionsFolder } from './find-extensions.ts';
import type { VersionSpec } from './version-spec.ts';
import { TelemetryLog } from './telemetry-log.ts';

/** What an environment provides to its extensions: the Extensions API, telemetry, a log. It outlives their restarts. */
export class ExtensionHost {
  readonly log: TelemetryLog;
  readonly #host: EnvironmentHost;
  readonly #spec: VersionSpec;
  readonly #names: readonly string[];
  readonly #telemetry: Telemetry;

  /** `names` are those of the extensions. */
  constructor(
    host: EnvironmentHost,
    spec: VersionSpec,
    names: readonly string[],
    log: EnvironmentLog,
    sandbox: () => Sandbox,
  ) {
    this.#host = host;
    this.#spec = spec;
    this.#names = names;
    this.#telemetry = createTelemetry((destination, body) =>
      deliverInside(sandbox(), destination, body),
    );
    this.log = new TelemetryLog(log, this.#telemetry, host.clock);
  }

  /** The session of one start; `own` is the function's program, and `output` receives the extensions' output. */
  begin(
    own: Program,
    output: string,
  ): { readonly calls: Extensions; readonly extensions?: ExtensionSession } {
    const { random, accountId, clock } = this.#host;
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
    return { calls, extensions: { programs, calls, clock, flush: () => telemetry.flush() } };
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
