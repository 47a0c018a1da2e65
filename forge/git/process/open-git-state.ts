import { PendingWork } from '#platform/pending-work.ts';

import { Creations } from '../commands/creations.ts';
import { DirtyRepositories } from '../commands/dirty-repositories.ts';
import { Durability } from '../commands/durability.ts';
import { openMoves } from './repository-moves.ts';
import { MoveLock } from '../commands/move-lock.ts';
import { removeBrokenObjects } from '../repository/broken-objects.ts';
import { gitDirectory } from '../commands/git-directory.ts';
import type { GitProcessState } from '../commands/git-directory.ts';
import type { GitError } from '../git-error.ts';
import { findGitTools } from '../commands/git-tools.ts';
import { CatFilePool } from '../commands/cat-file.ts';
import { QuarantinePool } from '../commands/quarantine-pool.ts';
import { RefMovesUnderWay } from '../commands/ref-moves.ts';
import { UpdateRefPool } from '../commands/update-ref.ts';
import { probeMergeTree } from '../repository/merge-probe.ts';
import { installPushHooks } from '../transport/push-hooks.ts';
import {
  findStaleGitState,
  removeAbandoned,
  removeBusyMarker,
  removeStaleFiles,
} from '../repository/recovery.ts';
import { type RepositoryPaths, repositoryPaths } from '../commands/repository-paths.ts';
import { GitRunner } from '../commands/run-git.ts';
import type { GitTools } from '../commands/git-environment.ts';

export interface GitStateSettings {
  readonly root: string;
  /** The disk did not confirm a write: the process must end. */
  readonly onNotDurable: (error: GitError) => void;
  /** Logs messages about repositories for the operator. */
  readonly report: (line: string) => void;
}

export interface OpenGitState {
  readonly state: GitProcessState;
  /** Recovers all that a crash interrupted, in turn. A repository that is asked for meanwhile is recovered at once. */
  readonly recoverAll: (stopped?: AbortSignal) => Promise<void>;
}

/** Looks at the git of the host and at what a crash left, and gives what all repositories share. */
export async function openGitState(settings: GitStateSettings): Promise<OpenGitState> {
  const { report } = settings;
  const tools = await toolsOfHost();
  const paths = repositoryPaths(settings.root);
  const interrupted = await findStaleGitState(paths);
  await installPushHooks(paths);
  const durability = new Durability(settings.onNotDurable);
  const runner = new GitRunner(tools, durability);
  const state: GitProcessState = {
    paths,
    runner,
    durability,
    dirty: new DirtyRepositories(paths.busy, (id) => removeStaleFiles(paths.repository(id))),
    catFiles: new CatFilePool(runner),
    quarantines: new QuarantinePool({ runner, durability }, paths),
    longLivedMerges: () => haveLongLivedMerges(runner, paths),
    updateRefs: new UpdateRefPool(runner),
    refMoves: new RefMovesUnderWay(),
    creations: new Creations(),
    recovery: new PendingWork(),
    moveLock: new MoveLock(paths.moves, durability),
  };
  await openMoves(state);
  for (const id of interrupted.ids) state.recovery.add(id, () => recover(state, id, report));
  return {
    state,
    async recoverAll(stopped) {
      await state.recovery.finish(
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
async function recover(
  state: GitProcessState,
  id: number,
  report: (line: string) => void,
): Promise<void> {
  await removeStaleFiles(state.paths.repository(id));
  await clearBroken(state, id, report);
  await removeBusyMarker(state.paths, id);
}

async function clearBroken(
  state: GitProcessState,
  id: number,
  report: (line: string) => void,
): Promise<void> {
  const { removed, needed } = await removeBrokenObjects(gitDirectory(state, id));
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

export async function closeGitState(state: GitProcessState): Promise<void> {
  await Promise.all([state.catFiles.close(), state.quarantines.close(), state.updateRefs.close()]);
  await state.runner.close();
}

// What the host offers does not change while a process lives, and a test process opens many roots.
let tools: Promise<GitTools> | undefined;
let longLivedMerges: Promise<boolean> | undefined;

export function toolsOfHost(): Promise<GitTools> {
  tools ??= findGitTools();
  return tools;
}

/** Found out by the first merge: calls of git wait for the start of this process. Where that fails, the merge says why, and the next one asks again. */
function haveLongLivedMerges(runner: GitRunner, paths: RepositoryPaths): Promise<boolean> {
  longLivedMerges ??= probeMergeTree(runner, paths).catch(() => {
    longLivedMerges = undefined;
    return false;
  });
  return longLivedMerges;
}
