import { PendingWork } from '#platform/pending-work.ts';

import { DirtyRepositories } from '../commands/dirty-repositories.ts';
import { Durability } from '../commands/durability.ts';
import { openMoves } from './repository-moves.ts';
import { RepositoryGate } from '../commands/repository-gate.ts';
import { removeBrokenObjects } from '../repository/broken-objects.ts';
import { gitDirectory } from '../commands/git-directory.ts';
import type { GitHost } from '../commands/git-directory.ts';
import type { GitError } from '../git-error.ts';
import { findGitTools } from '../commands/git-tools.ts';
import { CatFilePool } from '../commands/cat-file.ts';
import { QuarantinePool } from '../commands/quarantine-pool.ts';
import { UpdateRefPool } from '../commands/update-ref.ts';
import { probeMergeTree } from '../commands/merge-probe.ts';
import { installPushHooks } from '../transport/push-hooks.ts';
import {
  findStaleGitState,
  removeAbandoned,
  removeBusyMarker,
  removeLeftovers,
} from '../repository/recovery.ts';
import { repositoryPaths } from '../commands/repository-paths.ts';
import { GitRunner } from '../commands/run-git.ts';
import type { GitTools } from '../commands/git-environment.ts';

export interface GitHostSettings {
  readonly root: string;
  /** The disk did not confirm a write: the process must end. */
  readonly onNotDurable: (error: GitError) => void;
  /** Logs messages about repositories for the operator. */
  readonly report: (line: string) => void;
}

export interface OpenGitHost {
  readonly host: GitHost;
  /** Recovers all that a crash interrupted, in turn. A repository that is asked for meanwhile is recovered at once. */
  readonly recoverAll: (stopped?: AbortSignal) => Promise<void>;
}

/** Looks at the host's git and at what a crash left, and gives what all repositories share. */
export async function openGitHost(settings: GitHostSettings): Promise<OpenGitHost> {
  const { report } = settings;
  const tools = await toolsOfHost();
  const paths = repositoryPaths(settings.root);
  const interrupted = await findStaleGitState(paths);
  await installPushHooks(paths);
  const durability = new Durability(settings.onNotDurable);
  const runner = new GitRunner(tools, durability);
  longLivedMerges ??= probeMergeTree(runner, paths);
  const host: GitHost = {
    paths,
    runner,
    durability,
    dirty: new DirtyRepositories(paths.busy, (id) => removeLeftovers(paths.repository(id))),
    catFiles: new CatFilePool(runner),
    quarantines: new QuarantinePool(
      { runner, durability, longLivedMerges: await longLivedMerges },
      paths,
    ),
    updateRefs: new UpdateRefPool(runner),
    recovery: new PendingWork(),
    gate: new RepositoryGate(paths.moves, durability),
  };
  await openMoves(host);
  for (const id of interrupted.ids) host.recovery.add(id, () => recover(host, id, report));
  return {
    host,
    async recoverAll(stopped) {
      await host.recovery.finish(
        recoveriesAtOnce,
        (error, id) => report(`Recovering repository ${id} failed: ${String(error)}`),
        stopped,
      );
      await removeAbandoned(interrupted);
    },
  };
}

/**
 * Repositories that are recovered at once after a crash, because reading every loose object slows down the disk for
 * repositories in use.
 */
const recoveriesAtOnce = 2;

/** The marker is removed last, so that recovery starts again after a crash. */
async function recover(host: GitHost, id: number, report: (line: string) => void): Promise<void> {
  await removeLeftovers(host.paths.repository(id));
  await clearBroken(host, id, report);
  await removeBusyMarker(host.paths, id);
}

async function clearBroken(
  host: GitHost,
  id: number,
  report: (line: string) => void,
): Promise<void> {
  const { removed, needed } = await removeBrokenObjects(gitDirectory(host, id));
  if (removed.length > 0) {
    report(
      `Repository ${id}: removed ${removed.length} unreadable objects that nothing needs, left by a crash: ${removed.join(' ')}`,
    );
  }
  if (needed.length > 0) {
    report(
      `Repository ${id} is damaged: its refs need objects that are empty or unreadable: ${needed.join(' ')}. Restore them from a backup, or remove these files and push the commits again from a clone.`,
    );
  }
}

export async function closeGitHost(host: GitHost): Promise<void> {
  await Promise.all([host.catFiles.close(), host.quarantines.close(), host.updateRefs.close()]);
  await host.runner.close();
}

// What the host offers does not change while a process lives, and a test process opens many roots.
let tools: Promise<GitTools> | undefined;
let longLivedMerges: Promise<boolean> | undefined;

function toolsOfHost(): Promise<GitTools> {
  tools ??= findGitTools();
  return tools;
}
