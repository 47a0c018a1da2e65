import { join } from 'node:path';

import { beginGitProcess, type StartingGitProcess } from '#forge/git/process/start-git-process.ts';
import type { LockedDataDirectory } from '#platform/data-directory.ts';
import type { Log } from '#platform/log.ts';
import type { Settings } from '#settings/setting-values.ts';

import type { Addresses } from './addresses.ts';
import { ClusterGit } from './nodes/cluster-git.ts';
import { closeAll } from './close-all.ts';
import { type FunctionHost, openFunctionHost } from './function-host.ts';
import type { SandboxServerOptions } from './sandbox-server.ts';

/** The git process and the launcher process. They go on while the services are started again. */
export interface Processes {
  readonly git: Pick<StartingGitProcess, 'git' | 'ready' | 'statistics' | 'close'>;
  /** The same of a node, which has a git process only while it has the repositories. */
  readonly clusterGit: ClusterGit | undefined;
  readonly functions: FunctionHost;
  close(): Promise<void>;
}

/** Starts both without waiting for them: the services are loaded and the database is opened meanwhile. */
export async function startProcesses(
  log: Log,
  settings: Settings & Addresses,
  data: LockedDataDirectory,
  http: Pick<SandboxServerOptions, 'identity' | 'headerNames' | 'sharing' | 'answer'>,
): Promise<Processes> {
  const functions = await openFunctionHost(log, settings, data, http);
  const socketPath = join(data.socketsFolder, 'git');
  const begin = (): StartingGitProcess =>
    beginGitProcess({
      root: data.repositoriesFolder,
      socketPath,
      log: (line) => log.warn({ line }, 'git process'),
      // The disk did not take a write: what follows can only be trusted after a fresh start.
      onNotDurable: () => process.kill(process.pid, 'SIGKILL'),
    });
  const clusterGit = settings.cluster && new ClusterGit({ socketPath, begin, onFailure });
  const git = clusterGit ?? begin();

  /** Another node gets the repositories once this one has stopped. */
  function onFailure(err: unknown): void {
    log.error({ err }, 'the git process does not start: this node stops');
    process.kill(process.pid, 'SIGTERM');
  }

  const closers = [() => functions.close(), () => git.close()];
  return { git, clusterGit, functions, close: () => closeAll(closers) };
}
