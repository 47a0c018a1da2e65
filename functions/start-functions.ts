import { join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { createBackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Sql } from '#platform/database/database.ts';
import { inBackground } from '#platform/in-background.ts';
import type { Log } from '#platform/log.ts';
import type { ScheduledTask } from '#platform/schedule.ts';
import type { RecordSiteAct } from '#platform/site-act.ts';
import type { Site } from '#web/site.ts';

import { findAdministrator } from './access-keys/access-key-store.ts';
import {
  createAccessKey,
  keepChosenAccessKey,
  type AccessKeyPair,
} from './access-keys/administer-access-keys.ts';
import { createCredentials } from './access-keys/find-credential.ts';
import { resumeReady } from './concurrency/ensure-provisioned.ts';
import {
  createEndpointObjects,
  createFolderObjects,
  type ObjectStore,
} from './code/objects/object-store.ts';
import type { ConfiguredResources } from './configured-resources/configured-resources.ts';
import { siteActRecorder } from './audit/site-acts.ts';
import { openLiveResources } from './added-resources/live-resources.ts';
import { isTemporaryFault } from './environments/start-failure.ts';
import { recordInvocations } from './environments/pool/invocation-recorder.ts';
import { createConsole, createFunctions } from './functions.ts';
import type { Isolation } from './launcher/isolation.ts';
import { createLayerLookup } from './layers/find-layer.ts';
import {
  logsName,
  openPersistentParts,
  type PersistentParts,
  type FunctionStart,
  type FunctionServicePorts,
} from './persistent-parts.ts';
import { type FunctionStorage, measureStorage } from './measure-storage.ts';
import { BodyBudget } from './http/body-budget.ts';
import type { FunctionPorts } from './http/call.ts';
import { openEnvironments } from './open-environments.ts';
import { openFunctionRuns } from './open-function-runs.ts';
import { openPushDeployer } from './open-push-deployer.ts';
import type { PushDeployer } from './push-deployments/push-deployer.ts';
import { recordPush } from './push-deployments/push-deployment-store.ts';
import { createHomeTakeover } from './provisioning/home-takeover.ts';
import { prepareSnapshotsLater, resumeProvisioning } from './provisioning/provision.ts';
import { createInactivityReaper, type InactivityReaper } from './provisioning/deactivate.ts';
import { retentionTasks } from './retention-tasks.ts';
import type { InstalledRuntimes } from './runtimes/runtimes.ts';
import type { SandboxPorts } from './sandbox-ports.ts';
import type { FunctionSettings } from './ports/system-ports.ts';
import { retryQueue } from './events/retry-queue.ts';
import { type FunctionStatistics, statisticsOf } from './statistics.ts';
import { createSignatureVerifier, type SignatureVerifier } from './signing/signature-verifier.ts';
import { createWebhookTargets, type WebhookTargets } from './webhook-targets/webhook-targets.ts';

export interface FunctionService {
  /** After the self-test of the launcher. Rejects where the host provides less than the operator requires: no request may be served then. */
  readonly isolation: Promise<Isolation>;
  /** What functions run with. */
  readonly runtimes: () => Promise<InstalledRuntimes>;
  readonly plugin: (server: FastifyInstance) => Promise<void>;
  /** Its pages, on a site that knows who is signed in. */
  readonly console: (site: Site) => (server: FastifyInstance) => Promise<void>;
  /** Also encrypts the tokens that the forge gives out. */
  readonly serviceKey: Omit<FunctionPorts['serviceKey'], 'reload'>;
  /** Records what site administrators do in the forge. */
  readonly recordSiteAct: RecordSiteAct;
  /** Keys of the site administrator, for the start. */
  readonly accessKeys: {
    keepChosen(pair: AccessKeyPair): Promise<void>;
    createForAdministrator(): Promise<AccessKeyPair>;
  };
  /** Functions as targets of webhooks, for the forge. */
  readonly webhookTargets: WebhookTargets;
  /** Is notified of changes of branches, in their transactions. */
  readonly pushListener: {
    pushed(sql: Sql, repositoryId: number, branches: ReadonlySet<string>): Promise<void>;
  };
  /** The periodic tasks. */
  readonly tasks: readonly ScheduledTask[];
  /** Resumes what a crash interrupted, before any request is served, and once the isolation is known. */
  resume(): Promise<void>;
  /**
   * Requests are served from now on. Resumes durable executions, whose programs ask this very server, and looks for the interpreters of
   * the host, which the first start of a function would wait for.
   */
  served(): Promise<void>;
  /** The clock has been set, forward by so many milliseconds: looks at once for what is due. */
  clockSet(forward: number): void;
  /** Resolves when no version is being provisioned and every line logged so far is in its file. */
  quiet(): Promise<void>;
  /** What it is doing, as numbers. */
  readonly statistics: FunctionStatistics;
  /** Makes the next attempts of what has failed in a queue due, and returns how many; undefined: it has no such attempts. */
  retryQueue(queue: string): Promise<number | undefined>;
  /** The functions, log groups, … that take the most disk space. */
  storage(): Promise<FunctionStorage>;
  close(): Promise<void>;
}

/** Assembles the function service in the order of its dependencies. */
export async function startFunctions(
  basics: FunctionServicePorts,
  settings: FunctionSettings,
  start: FunctionStart,
  fileResources: ConfiguredResources,
  sandboxes: SandboxPorts,
): Promise<FunctionService> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = closers.pop(); next; next = closers.pop()) await next();
  };
  try {
    const persistent = await openPersistentParts(basics, settings, start, closers);
    const configured = await openLiveResources({ ...basics, ...persistent }, fileResources);
    const { pool, ...tested } = openEnvironments(basics, settings, start, sandboxes, {
      ...persistent,
      configured,
    });
    const recorder = recordInvocations(pool, basics);
    closers.push(() => recorder.flush());
    const environments = recorder.pool;
    closers.push(() => environments.close());
    const background = createBackgroundWork({
      onError: (err, key) =>
        basics.log.error({ err, key }, 'background task of the function service failed'),
      passes: isTemporaryFault,
    });
    closers.push(() => background.close());
    const inactivity = createInactivityReaper(
      { ...basics, background, environments },
      settings.inactiveSeconds * 1000,
    );
    closers.push(() => inactivity.close());
    const { run, events, durable, pollers } = openFunctionRuns(
      basics,
      { environments, inactivity, settings, configured },
      closers,
    );
    const ports: FunctionPorts = {
      ...basics,
      ...persistent,
      ...run,
      background,
      settings,
      configured,
      fileResources,
      dataDirectory: start.dataDirectory,
      events,
      durable,
      logFolder: join(start.sharedFolder ?? start.folder, logsName),
      objects: objectStore(start, basics.clock),
      layers: createLayerLookup(basics.database, settings),
      signatures: signaturesOf(basics, settings, persistent),
    };
    const pushes = openPushDeployer({ ...ports, serverId: basics.serverId }, (err) =>
      basics.log.error({ err }, 'deploying a push failed'),
    );
    closers.push(async () => pushes?.close());
    const tasks = retentionTasks({ ...basics, ...persistent, recorder }, start);
    const { serviceKey } = persistent;
    const service = serviceOf(ports, { inactivity, pushes, closers }, basics.log);
    const served = async (): Promise<void> => {
      await durable.start();
      pollers.start();
      inBackground(sandboxes.interpreters());
    };
    const quiet = async (): Promise<void> => {
      await background.idle();
      await persistent.logs.flushed();
    };
    const statistics = statisticsOf(basics.database, environments, recorder.totals);
    return { ...service, ...tested, served, quiet, serviceKey, statistics, tasks, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function serviceOf(
  ports: FunctionPorts,
  { inactivity, pushes, closers }: Workers,
  log: Log,
): Pick<
  FunctionService,
  | 'plugin'
  | 'console'
  | 'webhookTargets'
  | 'pushListener'
  | 'recordSiteAct'
  | 'retryQueue'
  | 'storage'
  | 'accessKeys'
  | 'resume'
  | 'clockSet'
> {
  const bodies = new BodyBudget();
  const homeTakeover = createHomeTakeover({
    ...ports,
    log,
    workers: [ports.events, ports.durable],
  });
  closers.push(() => homeTakeover.close());
  return {
    webhookTargets: createWebhookTargets(ports, (err) =>
      log.error({ err }, 'invoking a function for a webhook failed'),
    ),
    pushListener: {
      pushed: (sql, repositoryId, branches) =>
        recordPush(sql, repositoryId, branches, ports.clock.now()),
    },
    recordSiteAct: siteActRecorder(ports),
    retryQueue: (queue) => retryQueue(ports, queue),
    storage: () => measureStorage(ports.database, ports.logFolder),
    plugin: createFunctions(ports, bodies),
    console: (site) => createConsole(ports, site, bodies),
    accessKeys: {
      async keepChosen(pair) {
        await keepChosenAccessKey(ports, pair);
      },
      async createForAdministrator() {
        const administrator = await ports.database.read(findAdministrator);
        if (administrator === undefined) throw new Error('There is no site administrator.');
        return createAccessKey(ports, administrator);
      },
    },
    async resume() {
      const count = await resumeProvisioning(ports);
      if (count > 0) log.info({ count }, 'resuming interrupted provisioning');
      prepareSnapshotsLater(ports);
      await resumeReady(ports);
      await ports.events.start();
      await pushes?.start();
      inactivity.start();
      homeTakeover.start();
    },
    clockSet(forward) {
      ports.environments.reap(Math.max(0, forward));
      ports.events.wake();
      ports.durable.wake();
      pushes?.wake();
      ports.background.run('unused functions', () => inactivity.sweep());
    },
  };
}

interface Workers {
  readonly inactivity: InactivityReaper;
  readonly pushes: PushDeployer | undefined;
  readonly closers: (() => Promise<void>)[];
}

function signaturesOf(
  { database, clock }: FunctionServicePorts,
  { accountId, region, allowUnsigned }: FunctionSettings,
  { serviceKey, sessions }: PersistentParts,
): SignatureVerifier {
  return createSignatureVerifier({
    credentials: createCredentials({ database, serviceKey, sessionTokens: sessions, accountId }),
    clock,
    region,
    accountId,
    allowUnsigned,
    unsignedPayloads: 'refused',
  });
}

function objectStore({ objects }: FunctionStart, clock: Clock): ObjectStore | undefined {
  if (objects === undefined) return undefined;
  return 'folder' in objects
    ? createFolderObjects(objects.folder)
    : createEndpointObjects(objects, clock);
}
