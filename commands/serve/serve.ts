import type { BlockList } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { vendor, vendorHeaderNames } from '#forge/json/vendor.ts';
import type { OpenSshPort } from '#forge/ssh/open-ssh-port.ts';
import { urlAddress } from '#functions/urls/url-address.ts';
import { systemClock } from '#platform/clock.ts';
import { lockDataDirectory, openDataDirectory } from '#platform/data-directory.ts';
import { createLog } from '#platform/log.ts';
import { type PublicUrls, publicUrls } from './public-urls.ts';
import { closeAll } from './close-all.ts';
import { sharedAddressesOf } from './connections.ts';
import { type CloseTimes, listen, type Listener } from './listener.ts';
import { SharingPrograms } from './sharing-programs.ts';
import { warnWithoutProxies } from './nodes/warn-without-proxies.ts';
import { lockWhenFree, standingBy } from './stand-by.ts';
import { startProcesses } from './start-processes.ts';
import { startFailure } from './start-failure.ts';
import type { Services, ServicesOptions } from './start-services.ts';
import { type TlsCertificate, isCertificateFor, readTlsCertificate } from './tls-certificate.ts';
import { welcome } from './startup-banner.ts';
import type { Settings } from '#settings/setting-values.ts';
import type { SettingInForce } from '#settings/settings.ts';

export interface Serving {
  /** For people: that it is ready, where, and what to do next. */
  readonly welcome: readonly string[];
  /** Gives the port up as `Listener.close` says, and closes everything. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly settingsInForce?: readonly SettingInForce[];
  /** Waits where another server uses the data directory, and takes over from it. */
  readonly standsBy?: boolean;
}

/** Time for requests under way to end when the server stops; they are ended after that. */
const drainMilliseconds = 20_000;

function closeTimes({ stopDelaySeconds }: Settings): CloseTimes {
  return { delayMilliseconds: stopDelaySeconds * 1000, drainMilliseconds };
}

/** Starts everything in the order of its dependencies; the last step starts to serve requests. */
export async function serve(
  settings: Settings,
  print: (line: string) => void,
  { settingsInForce = [], standsBy = false }: ServeOptions = {},
): Promise<Serving> {
  const log = createLog(settings.logLevel);
  const closers: (() => Promise<void>)[] = [];
  const stop = (): Promise<void> => closeAll(closers);
  try {
    const certificate = settings.tls && (await readTlsCertificate(settings.tls));
    const headerNames = vendorHeaderNames(vendor(settings.vendor));
    const { connectionsMax, connectionsPerAddressMax, bytesPerSecondMin } = settings;
    const sharedAddresses = sharedAddressesOf(settings.trustedProxies);
    const sharing = new SharingPrograms();
    const listener = await listen(settings.host, settings.port, {
      certificate,
      headerNames,
      sharing,
      limits: { connectionsMax, connectionsPerAddressMax, bytesPerSecondMin, sharedAddresses },
    });
    // Of a start that fails: a server that has started gives the port up before anything else.
    closers.push(() => listener.close({ delayMilliseconds: 0, drainMilliseconds: 0 }));
    const directory = await openDataDirectory(settings.data);
    const locked = await (standsBy
      ? lockWhenFree(directory, listener, (owner) =>
          print(standingBy(settings, listener.port, directory.path, owner)),
        )
      : lockDataDirectory(directory));
    closers.push(() => locked.release());
    // What all nodes of a cluster share is laid out as a data directory is.
    const shared = settings.cluster ? await openDataDirectory(settings.cluster.data) : directory;
    const { repositoriesFolder, assetsFolder } = shared;
    const data = { ...locked, repositoriesFolder, assetsFolder };
    const ssh = await openSsh(settings, shared.path, sharedAddresses);
    if (ssh) closers.push(() => ssh.close(0));
    const served = {
      ...settings,
      ...publicUrls(settings, listener.port),
      sshPort: ssh && (settings.sshPublicPort ?? ssh.port),
    };
    if (certificate) warnOfUncoveredHosts(certificate, served, log);
    warnWithoutProxies(settings, log);
    const http = { certificate, headerNames, sharing, answer: listener.answer };
    const processes = await startProcesses(log, served, data, http);
    closers.push(() => processes.close());
    const parts = { settings: served, settingsInForce, listener, ssh, data, processes, log };
    const services = await startLoaded(parts);
    closers.push(() => services.close());
    // From now on the first of all.
    closers.push(() => closePorts(listener, ssh, closeTimes(settings)));
    closers.push(() => services.drain());
    return { stop, welcome: welcome(served, services.started, settings, ssh?.hostKeys) };
  } catch (error) {
    await stop().catch((failure: unknown) =>
      log.error({ err: failure }, 'The start was not undone.'),
    );
    throw startFailure(error);
  }
}

/** Loads the library only where git over SSH is on. */
async function openSsh(
  { sshPort, host }: Settings,
  data: string,
  sharedAddresses: BlockList,
): Promise<OpenSshPort | undefined> {
  if (sshPort === undefined) return undefined;
  const { openHostKeys } = await import('#forge/ssh/host-keys.ts');
  const { openSshPort } = await import('#forge/ssh/open-ssh-port.ts');
  const hostKeys = await openHostKeys(join(data, 'ssh'));
  return openSshPort(host, sshPort, { hostKeys, sharedAddresses });
}

/** Commands over SSH get the same time as requests. */
async function closePorts(
  listener: Listener,
  ssh: OpenSshPort | undefined,
  times: CloseTimes,
): Promise<void> {
  const closing = listener.close(times);
  if (ssh) {
    await delay(times.delayMilliseconds);
    await ssh.close(times.drainMilliseconds);
  }
  await closing;
}

/** Loads the services only now: that takes as long as the processes take to start, which are under way. */
async function startLoaded(parts: Omit<ServicesOptions, 'clock'>): Promise<Services> {
  if (parts.settings.testControls === 'off') {
    const { startServices } = await import('./start-services.ts');
    return startServices({ ...parts, clock: systemClock });
  }
  const { startControlledServices } = await import('./test-controls/controlled-services.ts');
  return startControlledServices(parts);
}

/** The proxy in front may have another certificate; one of our own that lacks these hosts shows in every browser. */
function warnOfUncoveredHosts(
  { cert }: TlsCertificate,
  settings: PublicUrls & Pick<Settings, 'region'>,
  log: ReturnType<typeof createLog>,
): void {
  const { hostname } = new URL(urlAddress(settings, 'id'));
  if (settings.urlDomain === undefined || isCertificateFor(cert, hostname)) return;
  const hosts = hostname.replace('id', '*');
  log.warn({ hosts }, 'the certificate does not cover the hosts of function URLs');
}
