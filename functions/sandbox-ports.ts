import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Log } from '#platform/log.ts';

import type { ServiceOfSandboxes } from './environments/environment-ports.ts';
import { openServiceOfSandboxes, serviceAddress } from './environments/service-in-sandbox.ts';
import type { Launcher } from './launcher/launcher.ts';
import { startLauncher } from './launcher/supervisor/start-launcher.ts';
import type { FunctionStart } from './persistent-parts.ts';
import type { Interpreter } from './runtimes/find-interpreters.ts';
import { findHostInterpreters } from './runtimes/find-installed-runtimes.ts';

/** The launcher process, how programs in its sandboxes find the server, and the interpreters of the host. They remain while the service is started again. */
export interface SandboxPorts {
  readonly service: ServiceOfSandboxes;
  /** Resolves after the self-test, which takes a while. */
  readonly launcher: Promise<Launcher>;
  /** Whether sandboxes can be opened, now or after a wait that callers do not notice as a failure. */
  isAvailable(this: void): boolean;
  /** Looks for them when it is called first, because that stops the server for milliseconds. */
  interpreters(): Promise<readonly Interpreter[]>;
  close(): Promise<void>;
}

export async function openSandboxPorts(
  log: Log,
  settings: { readonly baseUrl: string },
  start: FunctionStart,
): Promise<SandboxPorts> {
  await mkdir(start.folder, { recursive: true, mode: 0o700 });
  const service = await openServiceOfSandboxes(settings, start);
  const launcher = startLauncher({
    folder: join(start.folder, 'launcher'),
    service: serviceAddress(service),
    internet: start.network === 'internet',
    ownFolders: start.ownFolders,
    log: (line) => log.warn({ line }, 'launcher'),
  });
  let started: Launcher | undefined;
  // The service that awaits it reports a failure.
  launcher.then(
    (running) => {
      started = running;
    },
    () => {},
  );
  let interpreters: Promise<readonly Interpreter[]> | undefined;
  return {
    service,
    launcher,
    isAvailable: () => started?.isAvailable ?? true,
    interpreters: () => (interpreters ??= findHostInterpreters(start)),
    async close() {
      await (await launcher.catch(() => undefined))?.close();
    },
  };
}
