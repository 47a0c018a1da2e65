import { chmod, mkdir } from 'node:fs/promises';

import type { EnvironmentPorts } from './environments/environment-ports.ts';
import type { CreateEnvironment } from './environments/execution-environment.ts';
import { createMakeEnvironment } from './environments/make-environment.ts';
import type { EnvironmentPool } from './environments/pool/environment-pool.ts';
import { createEnvironmentPool } from './environments/pool/create-environment-pool.ts';
import {
  type Isolation,
  checkInternet,
  checkIsolation,
  refusalToRun,
} from './launcher/isolation.ts';
import { createEnvironmentLog } from './logs/create-environment-log.ts';
import { newStreamName } from './logs/log-streams.ts';
import type { FunctionServicePorts, FunctionStart, PersistentParts } from './persistent-parts.ts';
import type { FunctionSettings } from './ports/system-ports.ts';
import { chosenRuntimes } from './runtimes/find-installed-runtimes.ts';
import type { InstalledRuntimes } from './runtimes/runtimes.ts';
import type { SandboxPorts } from './sandbox-ports.ts';

export interface OpenedEnvironments {
  readonly pool: EnvironmentPool;
  /** What the launcher has found. Rejects where the host provides less than the operator requires. */
  readonly isolation: Promise<Isolation>;
  /** What programs run with, found out as the first one starts. */
  readonly runtimes: () => Promise<InstalledRuntimes>;
}

type Parts = PersistentParts & Pick<EnvironmentPorts, 'configured'>;

/** The pool is there at once, and starts nothing before the launcher has tested the host. */
export function openEnvironments(
  ports: FunctionServicePorts,
  settings: FunctionSettings,
  start: FunctionStart,
  sandboxes: SandboxPorts,
  parts: Parts,
): OpenedEnvironments {
  let refusal: string | undefined = 'Functions cannot run yet: the host is being tested.';
  const opened = openWithLauncher(ports, settings, start, sandboxes, parts);
  const isolation = opened.then((found) => {
    refusal = refusalToRun(found.isolation.tier, start.insecureFunctions);
    return found.isolation;
  });
  // Its failure is thrown where it is awaited; a start may fail before that.
  isolation.catch(() => {});
  const pool = createEnvironmentPool(async (spec) => (await opened).create(spec), {
    idleMilliseconds: settings.idleEnvironmentSeconds * 1000,
    environmentsMax: settings.environmentsMax,
    capacityProviders: parts.configured.capacityProviders,
    get refusal() {
      return refusal;
    },
    onError: (err, context) =>
      ports.log.error({ err, ...context }, 'an execution environment failed'),
  });
  return { pool, isolation, runtimes: async () => (await opened).runtimes() };
}

async function openWithLauncher(
  { clock, random }: FunctionServicePorts,
  { region, accountId }: FunctionSettings,
  start: FunctionStart,
  sandboxes: SandboxPorts,
  parts: Parts,
): Promise<
  Pick<OpenedEnvironments, 'runtimes'> & {
    readonly create: CreateEnvironment;
    readonly isolation: Isolation;
  }
> {
  await mkdir(start.socketsFolder, { recursive: true });
  // The programs' users can traverse to their own sockets, but not list the others.
  await chmod(start.socketsFolder, 0o711);
  const launcher = await sandboxes.launcher;
  const { isolation } = launcher;
  checkIsolation(isolation.tier, start.requiredIsolation);
  checkInternet(isolation);
  const chosen = await chosenRuntimes(start);
  const runtimes = async (): Promise<InstalledRuntimes> => ({
    ...chosen,
    interpreters: await sandboxes.interpreters(),
  });
  const make = async (): Promise<CreateEnvironment> =>
    createMakeEnvironment({
      ...parts,
      launcher,
      service: sandboxes.service,
      clock,
      random,
      region,
      accountId,
      runtimes: await runtimes(),
      layers: parts.mergedLayers,
      folder: start.socketsFolder,
      network: start.network,
      openLog: ({ version, configuration: { LoggingConfig: logging } }) => {
        const stream = newStreamName(clock, random, version);
        const options = { logging, clock, stream: parts.logs.open(logging.LogGroup, stream) };
        return { stream, log: createEnvironmentLog(options) };
      },
    });
  let made: Promise<CreateEnvironment> | undefined;
  return { isolation, runtimes, create: async (spec) => (await (made ??= make()))(spec) };
}
