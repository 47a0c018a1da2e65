import { join } from 'node:path';

import { beginGitProcess, type StartingGitProcess } from '#forge/git/process/start-git-process.ts';
import { SpareGitProcess } from '#forge/git/process/spare-git-process.ts';
import type { LockedDataDirectory } from '#platform/data-directory.ts';
import type { Log } from '#platform/log.ts';
import type { Settings } from '#settings/setting-values.ts';

import type { PublicUrls } from './public-urls.ts';
import { ClusterGit } from './nodes/cluster-git.ts';
import { GitShards } from './shards/git-shards.ts';
import { defaultGitShard, type GitShard } from './shards/shard-store.ts';
import { closeAll } from './close-all.ts';
import { type FunctionDependencies, openFunctionDependencies } from './function-dependencies.ts';
import type { SandboxServerOptions } from './sandbox-server.ts';

interface ShardGitPort extends Pick<GitShards, 'git' | 'statistics' | 'close'> {
  /** Of the default shard; the others are opened with the database. */
  readonly ready: Promise<void>;
}

/** The git process and the launcher process. They go on while the services are started again. */
export interface Processes {
  readonly git: ShardGitPort;
  readonly shards: GitShards;
  /** The same of a node, which has a git process only for the shards that it has. */
  readonly clusterGit: GitShards<ClusterGit> | undefined;
  readonly functions: FunctionDependencies;
  close(): Promise<void>;
}

/** Starts both without waiting for them: the services are loaded and the database is opened meanwhile. */
export async function startProcesses(
  log: Log,
  settings: Settings & PublicUrls,
  data: LockedDataDirectory,
  http: Pick<SandboxServerOptions, 'certificate' | 'headerNames' | 'sharing' | 'answer'>,
): Promise<Processes> {
  const functions = await openFunctionDependencies(log, settings, data, http);
  const spare = settings.cluster && new SpareGitProcess();
  const begin = (shard: GitShard, socketPath: string): StartingGitProcess =>
    beginGitProcess({
      takeSpare: spare && (() => spare.take()),
      root: shard.folder ?? data.repositoriesFolder,
      folderKey: shard.folderKey,
      socketPath,
      log: (line) => log.warn({ line, ...shownShard(shard) }, 'git process'),
      // The disk did not take a write: what follows can only be trusted after a fresh start.
      onNotDurable: () => process.kill(process.pid, 'SIGKILL'),
    });
  const socketOf = ({ id }: GitShard): string =>
    join(data.socketsFolder, id === defaultGitShard.id ? 'git' : `git-${id}`);
  const clusterGit =
    settings.cluster &&
    new GitShards((shard) => {
      const socketPath = socketOf(shard);
      return new ClusterGit({ socketPath, begin: () => begin(shard, socketPath) });
    });
  const shards = clusterGit ?? new GitShards((shard) => begin(shard, socketOf(shard)));
  const closers = [() => functions.close(), async () => spare?.close(), () => shards.close()];
  const { git, ready, statistics } = shards;
  return {
    git: { git, ready, statistics, close: () => shards.close() },
    shards,
    clusterGit,
    functions,
    close: () => closeAll(closers),
  };
}

/** In the log of an installation with several. */
function shownShard({ id, name }: GitShard): { readonly shard?: string } {
  return id === defaultGitShard.id ? {} : { shard: name };
}
