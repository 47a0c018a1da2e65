import type { RequestListener } from 'node:http';

import type { FastifyInstance } from 'fastify';

import { createDeployedBranches } from '#forge/function-code/deployed-branches.ts';
import { createRepositoryCode } from '#forge/function-code/repository-code.ts';
import { openAssetFiles } from '#forge/releases/asset-files.ts';
import type { OpenSshPort } from '#forge/ssh/open-ssh-port.ts';
import { isTemporary } from '#forge/http/from-git-error.ts';
import type { ForgeHolds } from '#forge/ports/forge-holds.ts';
import type { Ports } from '#forge/ports/ports.ts';
import { findInterrupted } from '#forge/ref-updates/reconcile.ts';
import { startAutoMerges } from '#forge/pulls/operations/auto-merge-worker.ts';
import { createDeliverer } from '#forge/webhooks/delivery-worker.ts';
import type { Isolation } from '#functions/launcher/isolation.ts';
import type { FunctionServicePorts } from '#functions/persistent-parts.ts';
import type { FunctionHolds } from '#functions/ports/function-holds.ts';
import type { FunctionService } from '#functions/start-functions.ts';
import { functionAdministrationLinks, consoleLink } from '#functions/web/web.ts';
import { atMost } from '#platform/at-most.ts';
import { createBackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { LockedDataDirectory } from '#platform/data-directory.ts';
import { createSerialQueues } from '#platform/serial-queues.ts';
import type { createLog } from '#platform/log.ts';
import { warnOfLossyCommits } from '#platform/database/commit-durability.ts';
import type { Database } from '#platform/database/database.ts';
import { openDatabase } from '#platform/database/open-database.ts';
import { createPasswords } from '#platform/password.ts';
import { systemRandom } from '#platform/random.ts';
import { openRedisCounters } from '#platform/redis/redis-counters.ts';
import { PendingWork } from '#platform/pending-work.ts';
import { TaskRuns } from '#platform/task-runs.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';
import { migrationsFolder } from '../../program-files.ts';
import type { PublicUrls } from './public-urls.ts';
import { beginFirstStart, warnOfGuessableToken } from './first-start.ts';
import { buildApplication, type BuiltApplication } from './application.ts';
import { closeAll } from './close-all.ts';
import { firstAccessKey, startFunctionService } from './function-service.ts';
import { requireSameStore } from './nodes/code-store-change.ts';
import { homesAmong } from './nodes/home-nodes.ts';
import { clusterOf, joinCluster, leaseOf, shardPorts } from './nodes/open-cluster.ts';
import { serveWhileAvailable } from './nodes/serve-while-available.ts';
import type { Listener } from './listener.ts';
import { observe } from './observation/observe-services.ts';
import { openTracingIfAsked } from './observation/observation.ts';
import { tracedDatabase } from './observation/traced-database.ts';
import type { Tracing } from './observation/tracing.ts';
import { startSchedule } from './scheduled-tasks.ts';
import { openShards } from './shards/open-shards.ts';
import { serverStatus } from './server-status.ts';
import type { Started } from './startup-banner.ts';
import { finishBehind, hasEnded } from './recovery.ts';
import type { Processes } from './start-processes.ts';
import type { Settings } from '#settings/setting-values.ts';
import type { SettingInForce } from '#settings/settings.ts';

export interface ServicesOptions {
  readonly settings: Settings & PublicUrls;
  readonly listener: Listener;
  /** For site administrators to see. */
  readonly settingsInForce: readonly SettingInForce[];
  /** Undefined: git over SSH is off. */
  readonly ssh: OpenSshPort | undefined;
  readonly data: LockedDataDirectory;
  readonly processes: Processes;
  readonly log: ReturnType<typeof createLog>;
  readonly clock: Clock;
  /** Never removes code of functions and assets of releases, which may be needed again; only while tests control the server. */
  readonly retainsCode?: boolean;
  /** What tests hold back. */
  readonly testHolds?: (ForgeHolds & FunctionHolds) | undefined;
  /** Wraps the application's request listener, as the test controls do. */
  readonly middleware?: ((next: RequestListener) => RequestListener) | undefined;
}

/** Both services, on an open port and a data directory. */
export interface Services {
  readonly ports: Ports;
  readonly application: FastifyInstance;
  readonly functions: FunctionService;
  readonly started: Started;
  /** The clock has been set: what is due by that runs at once. */
  clockSet(forward: number): void;
  /** Resolves when the background work of both services has ended, or after two seconds. */
  quiet(): Promise<void>;
  /** Other nodes of the cluster forward nothing more to this one. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Starts both services in the order of their dependencies, and has the listener pass them its requests. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { settings, listener, data, processes, log, clock, testHolds } = options;
  const closers: (() => Promise<void>)[] = [];
  try {
    const tracing = await openTracingIfAsked(log, settings.trustedProxies);
    closers.push(async () => tracing?.close());
    const database = await databaseOf(options, tracing, closers);
    const cluster = clusterOf(options);
    const lease = cluster ? undefined : await leaseOf(options, database);
    // After the work of this server has ended, which others may do then.
    closers.push(async () => (cluster ?? lease)?.leave());
    const shardForNetwork = await openShards(processes.shards, database, cluster, closers);
    const secrets = { passwords: createPasswords(), randomBytes: bytesOf };
    const firstStart = beginFirstStart({ clock, database, ...secrets }, settings.admin);
    const { git } = processes.git;
    const reconciliation = new PendingWork();
    const both = { database, log, clock, random: systemRandom, serverId: data.serverId, testHolds };
    const functionPorts = connectForge({ ...both, git, reconciliation }, cluster, settings);
    await functionPorts.checkStores();
    const functions = await startFunctionService(functionPorts, settings, processes.functions);
    closers.push(() => functions.close());
    await joinCluster(cluster, functions.serviceKey, options, functionPorts.checkStores);
    const background = backgroundWork(log);
    closers.push(() => background.close());
    const counters = countersAt(settings.redisUrl, functions.serviceKey, log);
    closers.push(async () => counters?.close());
    const taskRuns = new TaskRuns(clock);
    const ports: Ports = {
      ...both,
      git,
      assetFiles: await openAssetFiles(data.assetsFolder),
      background,
      serialQueues: createSerialQueues(),
      reconciliation,
      counters,
      servers: cluster && (() => cluster.live().length),
      cacheCounts: { hits: 0, misses: 0 },
      functionTargets: functions.webhookTargets,
      otherPages: [consoleLink],
      otherAdministration: functionAdministrationLinks,
      serverStatus: serverStatus(options, { database, functions, taskRuns }),
      pushListener: functions.pushListener,
      recordSiteAct: functions.recordSiteAct,
      ssh: options.ssh,
      ...shardPorts(cluster, lease, { shards: processes.shards, shardForNetwork }),
      ...secrets,
      sealing: functions.serviceKey,
      settings: { ...settings, testControls: settings.testControls !== 'off' },
    };
    const interrupted = await findInterrupted(ports, hasEnded(cluster));
    const deliverer = createDeliverer(ports, (err, delivery) =>
      log.error({ err, delivery }, 'delivering a webhook failed'),
    );
    closers.push(() => deliverer.close());
    const observation = await observe(options, ports, functions, cluster);
    closers.push(() => observation.close());
    // Takes about as long as the launcher's test of the host, which is under way.
    const built = await buildApplication(listener, ports, functions, log, {
      middleware: options.middleware,
      tracing,
      ...observation,
    });
    await warnOfGuessableToken({ clock, database, log }, settings.admin.token);
    // The hash of a password takes as long.
    const first = await firstCredentials(await firstStart, functions, settings);
    const isolation = await serveOnceReady(processes, functions, built);
    closers.push(finishBehind(ports, interrupted, { cluster, shards: processes.shards, log }));
    deliverer.start();
    closers.push(startAutoMerges(ports));
    const schedule = startSchedule(options, ports, functions, { taskRuns, cluster });
    closers.push(() => schedule.close());
    const drain = await serveAsNode(cluster, processes, log, closers);
    return {
      ports,
      application: built.application,
      functions,
      clockSet(forward) {
        if (forward > 0) schedule.advance(forward);
        deliverer.wake();
        functions.clockSet(forward);
      },
      quiet: () => atMost(quietMilliseconds, Promise.all([background.idle(), functions.quiet()])),
      started: { ...first, isolation },
      drain,
      close: () => closeAll(closers),
    };
  } catch (error) {
    await closeAll(closers).catch((failure: unknown) =>
      log.error({ err: failure }, 'The start was not undone.'),
    );
    throw error;
  }
}

async function databaseOf(
  { settings, data, log }: ServicesOptions,
  tracing: Tracing | undefined,
  closers: (() => Promise<void>)[],
): Promise<Database> {
  const url = settings.database ?? data.databaseFile;
  const isNode = settings.cluster !== undefined;
  const limits = {
    connectionsMax: settings.databaseConnections,
    sharesQueues: isNode,
    toleratesExpansions: isNode,
  };
  const database = await openDatabase(url, { migrationsFolder, log, limits });
  closers.push(() => database.close());
  await warnOfLossyCommits(database, settings.database, log);
  return tracing ? tracedDatabase(database) : database;
}

async function firstCredentials(
  create: () => Promise<Started['credentials']>,
  { accessKeys }: FunctionService,
  settings: Settings,
): Promise<Pick<Started, 'credentials' | 'accessKey'>> {
  const credentials = await create();
  const accessKey = await firstAccessKey(accessKeys, settings, credentials !== undefined);
  return { credentials, accessKey };
}

/** No request is served before git can be asked and it is known how functions are isolated. */
async function serveOnceReady(
  { git }: Processes,
  functions: FunctionService,
  { serve }: BuiltApplication,
): Promise<Isolation> {
  await git.ready;
  const isolation = await functions.isolation;
  await functions.resume();
  serve();
  await functions.served();
  return isolation;
}

/** From now on other nodes forward requests to this one. Returns what ends that. */
async function serveAsNode(
  cluster: ReturnType<typeof clusterOf>,
  { functions }: Processes,
  log: ServicesOptions['log'],
  closers: (() => Promise<void>)[],
): Promise<() => Promise<void>> {
  if (!cluster) return async () => {};
  await cluster.serve();
  const isAvailable = (): boolean => functions.sandboxes.isAvailable() && cluster.clockIsRight();
  const end = serveWhileAvailable(cluster, isAvailable, log);
  closers.push(end);
  return end;
}

const bytesOf = (count: number): Uint8Array => systemRandom.bytes(count);

/** What the function service gets of the forge, and of the other nodes. */
function connectForge(
  ports: Omit<FunctionServicePorts, 'repositories' | 'branches' | 'homes' | 'checkStores'> &
    Pick<Ports, 'git' | 'reconciliation'>,
  cluster: Parameters<typeof homesAmong>[0],
  settings: Settings,
): FunctionServicePorts & Required<Pick<FunctionServicePorts, 'checkStores'>> {
  return {
    ...ports,
    checkStores: () => requireSameStore(ports.database, settings, ports.serverId),
    repositories: createRepositoryCode(ports),
    branches: createDeployedBranches(ports),
    homes: homesAmong(cluster, settings),
  };
}

/** Time that a test control waits for background work to end; work that itself waits for a test goes on for longer. */
const quietMilliseconds = 2000;

function backgroundWork(log: ReturnType<typeof createLog>): Ports['background'] {
  return createBackgroundWork({
    onError: (err, key) => log.error({ err, key }, 'background work failed'),
    passes: isTemporary,
  });
}

function countersAt(
  url: string | undefined,
  serviceKey: FunctionService['serviceKey'],
  log: ReturnType<typeof createLog>,
): SharedCounters | undefined {
  if (url === undefined) return undefined;
  // All servers of an installation have its service key, and no others do.
  const { key } = serviceKey.derive('names of shared counters');
  return openRedisCounters(new URL(url), {
    installation: Buffer.from(key).toString('base64url').slice(0, 16),
    onProblem: (problem) =>
      log.warn({ problem }, 'Redis unavailable: this process counts requests separately'),
    now: () => performance.now(),
  });
}
