import { EventEmitter, once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '#platform/clock.ts';
import { systemRandom } from '#platform/random.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { createSessionTokens } from '../../access-keys/session-tokens.ts';
import { openCodeFiles } from '../../code/code-files.ts';
import { openImages } from '../../code/images/images.ts';
import { zipOf, type ZipContent } from '../../code/testing/zip-of.ts';
import { type Configuration, newConfiguration } from '../../configuration/configuration.ts';
import { noConfiguredResources } from '../../configured-resources/configured-resources.ts';
import { createKeyRing } from '../../keys/key-ring.ts';
import { openServiceKey } from '../../keys/service-key.ts';
import type { Isolation } from '../../launcher/isolation.ts';
import type { Launcher } from '../../launcher/launcher.ts';
import { startLauncher } from '../../launcher/supervisor/start-launcher.ts';
import { openMergedLayers } from '../../layers/merge-layers.ts';
import { createEnvironmentLog } from '../../logs/create-environment-log.ts';
import { findInstalledRuntimes } from '../../runtimes/find-installed-runtimes.ts';
import type { EnvironmentPorts, ServiceOfSandboxes } from '../environment-ports.ts';
import { createMakeEnvironment } from '../make-environment.ts';
import type { EnvironmentPool, PoolSettings } from '../pool/environment-pool.ts';
import { createEnvironmentPool } from '../pool/create-environment-pool.ts';
import { versionSpecOf, type VersionSpec } from '../version-spec.ts';

/** Environments as the service makes them, without the service around: programs run for real, on the strongest tier here. */
export interface RealEnvironments {
  readonly pool: EnvironmentPool;
  readonly launcher: Launcher;
  /** Internal errors, which callers do not see. */
  readonly faults: readonly unknown[];
  /** Every line of every log, in the order in which they came. */
  readonly lines: readonly string[];
  readonly isolation: Isolation;
  /** How many environments were made so far. */
  created(): number;
  /** The spec of a function of these files: `$LATEST` of Node by default. */
  spec(files: Files, settings?: Partial<Configuration>, version?: string): Promise<VersionSpec>;
  /** A layer of these files, to be named in the settings. */
  layer(files: Files): Promise<Configuration['Layers'][number]>;
  /** The answer of a function: what it returns, or its failure. */
  // oxlint-disable-next-line typescript/no-explicit-any -- functions answer anything
  invoke(spec: VersionSpec, event?: unknown): Promise<any>;
  /** Resolves when a line of a log has this text. */
  printed(text: string): Promise<void>;
  /** The data directory. */
  readonly folder: string;
  /** Closes environments and launcher, and leaves the folder for a look. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export type Files = Readonly<Record<string, ZipContent>>;

/** Functions reach nothing of the server. */
const closedService: ServiceOfSandboxes = {
  server: {
    servesBaseUrl: false,
    authority: undefined,
    accept: (socket) => socket.destroy(),
    recognise: () => () => {},
  },
  baseUrl: undefined,
  hasAuthority: false,
  certificatesFolder: '/none',
};

export async function startRealEnvironments(
  settings: Partial<PoolSettings> = {},
  /** What the environments see of the launcher, where a test has it fail. */
  seen: (launcher: Launcher) => Launcher = (launcher) => launcher,
  others: Partial<Pick<EnvironmentPorts, 'configured' | 'terminationMilliseconds'>> = {},
): Promise<RealEnvironments> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-env-'));
  await chmod(folder, 0o711);
  const database = await openTestDatabase();
  const accountRegion = { region: 'us-east-1', accountId: '123456789012' };
  const basics = { database, clock: systemClock, random: systemRandom };
  await mkdir(join(folder, 's'));
  await chmod(join(folder, 's'), 0o711);
  const launcher = await startLauncher({ folder: join(folder, 'launcher'), log: () => {} });
  const serviceKey = await openServiceKey({ ...basics, folder });
  const code = await openCodeFiles(join(folder, 'code'));
  const lines: string[] = [];
  const printed = new EventEmitter();
  const stream = {
    append(line: string): void {
      lines.push(line);
      printed.emit('line');
    },
    async close() {},
  };
  const make = createMakeEnvironment({
    launcher: seen(launcher),
    code,
    runtimes: await findInstalledRuntimes({
      searchPath: '/usr/local/bin:/usr/bin:/bin',
      runtimePrograms: {},
    }),
    keys: createKeyRing({ ...basics, serviceKey, accountRegion }),
    images: await openImages(join(folder, 'images'), undefined),
    layers: await openMergedLayers(join(folder, 'layers'), code),
    sessions: createSessionTokens({ ...basics, serviceKey }),
    configured: {
      ...noConfiguredResources,
      capacityProviders: settings.capacityProviders ?? new Map(),
    },
    clock: systemClock,
    random: systemRandom,
    accountId: accountRegion.accountId,
    openLog: ({ configuration: { LoggingConfig: logging } }) => ({
      stream: 'stream',
      log: createEnvironmentLog({ logging, clock: systemClock, stream }),
    }),
    folder: join(folder, 's'),
    region: accountRegion.region,
    network: 'none',
    service: closedService,
    ...others,
  });
  async function stop(): Promise<void> {
    await pool.close();
    await launcher.close();
  }
  let created = 0;
  let versions = 0;
  const faults: unknown[] = [];
  const pool = createEnvironmentPool(
    (spec) => {
      created += 1;
      return make(spec);
    },
    {
      idleMilliseconds: 60_000,
      environmentsMax: 10,
      capacityProviders: new Map(),
      refusal: undefined,
      onError: (error) => faults.push(error),
      ...settings,
    },
  );
  return {
    pool,
    launcher,
    faults,
    lines,
    isolation: launcher.isolation,
    created: () => created,
    async spec(files, given = {}, version = '$LATEST') {
      const stored = await code.ingest(zipOf(files), async (taken) => taken);
      versions += 1;
      const defaults = newConfiguration({
        functionName: 'f',
        role: 'arn:aws:iam::123456789012:role/worker',
        packageType: 'Zip',
        architecture: 'x86_64',
        code: stored,
      });
      const usual = { Runtime: 'nodejs24.x', Handler: 'index.handler', MemorySize: 1769 };
      return versionSpecOf({
        id: versions,
        functionId: versions,
        name: 'f',
        version,
        configurationId: versions,
        configuration: { ...defaults, ...usual, ...given },
        sealedVariables: undefined,
      });
    },
    async layer(files) {
      const { sha256, size } = await code.ingest(zipOf(files), async (taken) => taken);
      return {
        Arn: `arn:aws:lambda:us-east-1:123456789012:layer:${size}:1`,
        CodeSize: size,
        sha256,
      };
    },
    async invoke(spec, event = {}) {
      const invoked = await pool.runEvent(spec, {
        requestId: systemRandom.id(),
        functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
        traceHeader: 'Root=1-0-0',
        payload: Buffer.from(JSON.stringify(event)),
        ...(spec.tenantId === undefined ? {} : { tenantId: spec.tenantId }),
      });
      if (invoked.kind !== 'answered') throw new Error(JSON.stringify(invoked));
      await invoked.logTail;
      const { outcome } = invoked;
      if (outcome.kind === 'stream') throw new Error('No stream was expected.');
      return JSON.parse(Buffer.from(outcome.payload).toString());
    },
    folder,
    async printed(text) {
      while (!lines.some((line) => line.includes(text))) await once(printed, 'line');
    },
    stop,
    async close() {
      await stop();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
