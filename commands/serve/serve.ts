import { join } from 'node:path';

import { firstStart } from '#forge/auth/bootstrap-administrator.ts';
import { createRepositoryCode } from '#forge/function-code/repository-code.ts';
import { isTemporary } from '#forge/http/from-git-error.ts';
import { startGitProcess } from '#forge/git/process/start-git-process.ts';
import { forgeTasks } from '#forge/maintenance-tasks.ts';
import type { Ports } from '#forge/ports/ports.ts';
import {
  findInterrupted,
  finishInterrupted,
  type Interrupted,
} from '#forge/ref-updates/reconcile.ts';
import { vendor, vendorHeaderNames } from '#forge/json/vendor.ts';
import { createDeliverer } from '#forge/webhooks/delivery-worker.ts';
import { urlAddress } from '#functions/urls/url-address.ts';
import { createBackgroundWork } from '#platform/background.ts';
import { systemClock } from '#platform/clock.ts';
import {
  type LockedDataDirectory,
  lockDataDirectory,
  openDataDirectory,
} from '#platform/data-directory.ts';
import { createSerialQueues } from '#platform/serial-queues.ts';
import { createLog, type Log } from '#platform/log.ts';
import { openDatabase } from '#platform/database/open-database.ts';
import { createPasswords } from '#platform/password.ts';
import { systemRandom } from '#platform/random.ts';
import { openRedisCounters } from '#platform/redis/redis-counters.ts';
import { PendingWork } from '#platform/pending-work.ts';
import { createSchedule } from '#platform/schedule.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';
import { migrationsFolder } from '../../program-files.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { serveApplication } from './application.ts';
import { sharedAddressesOf } from './connections.ts';
import { firstAccessKey, startFunctionService } from './function-service.ts';
import { type CloseTimes, listen } from './listener.ts';
import { type Identity, isCertificateFor, readIdentity } from './tls-certificate.ts';
import { welcome } from './startup-banner.ts';
import type { Settings } from '#settings/setting-values.ts';

export interface Serving {
  /** Gives the port up as `Listener.close` says, and closes everything. */
  stop(): Promise<void>;
}

/** How long requests under way may take once the server takes no more. */
const drainMilliseconds = 20_000;

function closeTimes({ stopDelaySeconds }: Settings): CloseTimes {
  return { delayMilliseconds: stopDelaySeconds * 1000, drainMilliseconds };
}

/** Closes the last first. A failure to close one does not leave the others open. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The server did not stop cleanly.');
}

const systemPorts = {
  clock: systemClock,
  randomBytes: (count: number) => systemRandom.bytes(count),
} as const;

/** Starts everything in the order of its dependencies; the last step starts to serve requests. */
export async function serve(settings: Settings, print: (line: string) => void): Promise<Serving> {
  const log = createLog(settings.logLevel);
  const closers: (() => Promise<void>)[] = [];
  const stop = (): Promise<void> => closeAll(closers);
  try {
    const identity = settings.tls && (await readIdentity(settings.tls));
    const headerNames = vendorHeaderNames(vendor(settings.vendor));
    const { connectionsMax, connectionsPerAddressMax, bytesPerSecondMin } = settings;
    const sharedAddresses = sharedAddressesOf(settings.trustedProxies);
    const listener = await listen(settings.host, settings.port, {
      identity,
      headerNames,
      limits: { connectionsMax, connectionsPerAddressMax, bytesPerSecondMin, sharedAddresses },
    });
    // Of a start that fails: a server that has started gives the port up before anything else.
    closers.push(() => listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 }));
    const data = await lockDataDirectory(await openDataDirectory(settings.data));
    closers.push(() => data.release());
    const database = await openDatabase(settings.database ?? data.databaseFile, {
      migrationsFolder,
      log,
    });
    closers.push(() => database.close());
    const git = await startGit(data, log);
    closers.push(() => git.close());
    const addressed = { ...settings, ...addressesOf(settings, listener.port) };
    if (identity) warnOfUncoveredHosts(identity, addressed, log);
    const reconciliation = new PendingWork();
    const repositories = createRepositoryCode({ database, git: git.git, reconciliation });
    const { serverId } = data;
    const functions = await startFunctionService(
      { database, log, clock: systemClock, random: systemRandom, serverId, repositories },
      addressed,
      data,
      { identity, headerNames, answer: listener.answer },
    );
    closers.push(() => functions.close());
    const background = backgroundWork(log);
    closers.push(() => background.close());
    const counters =
      settings.redisUrl === undefined ? undefined : countersAt(settings.redisUrl, log);
    closers.push(async () => counters?.close());
    const ports: Ports = {
      database,
      git: git.git,
      background,
      serialQueues: createSerialQueues(),
      reconciliation,
      counters,
      functionTargets: functions.webhookTargets,
      serverId,
      ...systemPorts,
      passwords: createPasswords(),
      sealing: functions.serviceKey,
      settings: addressed,
    };
    const interrupted = await findInterrupted(ports);
    const deliverer = createDeliverer(ports, (err, delivery) =>
      log.error({ err, delivery }, 'delivering a webhook failed'),
    );
    closers.push(() => deliverer.close());
    const credentials = await firstStart(ports, settings.admin);
    const accessKey = await firstAccessKey(
      functions.accessKeys,
      settings,
      credentials !== undefined,
    );
    await functions.resume();
    await serveApplication(listener, ports, functions.plugin, log);
    closers.push(finishBehind(ports, interrupted, log));
    deliverer.start();
    const schedule = createSchedule(
      settings.maintenance ? [...forgeTasks(ports, log), ...functions.tasks] : [],
      (err, task) => log.error({ err, task }, 'scheduled work failed'),
    );
    closers.push(() => schedule.close());
    schedule.start();
    const created = { credentials, accessKey, isolation: functions.isolation };
    for (const line of welcome(addressed, created, settings)) print(line);
    // From now on the first of all.
    closers.push(() => listener.close(closeTimes(settings)));
    return { stop };
  } catch (error) {
    await stop().catch((failure: unknown) =>
      log.error({ err: failure }, 'The start was not undone.'),
    );
    throw error;
  }
}

function startGit(
  { repositoriesFolder, socketsFolder }: LockedDataDirectory,
  log: Log,
): ReturnType<typeof startGitProcess> {
  return startGitProcess({
    root: repositoriesFolder,
    socketPath: join(socketsFolder, 'git'),
    log: (line) => log.warn({ line }, 'git process'),
    // The disk did not take a write: what follows can only be trusted after a fresh start.
    onNotDurable: () => process.kill(process.pid, 'SIGKILL'),
  });
}

/** Finishes what a crash interrupted, behind whatever is served. Gives what stops it. */
function finishBehind(ports: Ports, interrupted: Interrupted, log: Log): () => Promise<void> {
  const { intents, repositories } = interrupted;
  if (intents + repositories.length === 0) return async () => {};
  const stop = new AbortController();
  const finish = async (): Promise<void> => {
    await finishInterrupted(ports, interrupted, stop.signal, (err, activity) =>
      log.error({ err, what: activity }, 'recovery after a crash failed; retrying'),
    );
    const counts = { intents, repositories: repositories.length };
    if (!stop.signal.aborted) log.info(counts, 'recovery after a crash finished');
  };
  const finished = finish();
  return () => {
    stop.abort();
    return finished;
  };
}

/** The proxy in front may have another certificate; one of our own that lacks these hosts shows in every browser. */
function warnOfUncoveredHosts(
  { cert }: Identity,
  settings: Addresses & Pick<Settings, 'region'>,
  log: Log,
): void {
  const { hostname } = new URL(urlAddress(settings, 'id'));
  if (settings.urlDomain === undefined || isCertificateFor(cert, hostname)) return;
  const hosts = hostname.replace('id', '*');
  log.warn({ hosts }, 'the certificate does not cover the hosts of function URLs');
}

function backgroundWork(log: Log): Ports['background'] {
  return createBackgroundWork({
    onError: (err, key) => log.error({ err, key }, 'background work failed'),
    passes: isTemporary,
  });
}

function countersAt(url: string, log: Log): SharedCounters {
  const onProblem = (problem: string): void =>
    log.warn({ problem }, 'Redis unavailable: this process counts requests separately');
  return openRedisCounters(new URL(url), onProblem, () => systemClock.now());
}
