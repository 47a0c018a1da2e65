/** A running program as the launcher process has it. */
import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

import { inBackground, reportError } from '#platform/in-background.ts';

import type { Cgroup } from '../cgroups/cgroup.ts';
import type { ProgramEnd } from '../launcher.ts';
import {
  startTimeOf,
  childrenOf,
  killProcess,
  killTree,
  terminateProcess,
  treeOf,
  ownMemory,
} from '../process/process-tree.ts';
import { runTool } from '../process/start-process.ts';
import { asUserCommand } from '../process/users.ts';
import type { IsolationBackend } from './isolation-backend.ts';

interface ProgramLimits {
  readonly backend: IsolationBackend;
  readonly cgroup: Cgroup | undefined;
  readonly user: number | undefined;
  readonly memoryBytes: number;
  readonly cpuShare: number;
}

/** A program that could not be started, as one that has ended. */
export function neverStarted(end: ProgramEnd): SupervisedProcess {
  return new SupervisedProcess(end, undefined);
}

export class SupervisedProcess {
  readonly ended: Promise<ProgramEnd>;
  readonly #limits: ProgramLimits | undefined;
  readonly #pid: number | undefined;
  readonly #watchdog: MemoryWatchdog | undefined;
  #peak = 0;
  #killed = false;

  constructor(child: ChildProcess, limits: ProgramLimits);
  constructor(end: ProgramEnd, limits: undefined);
  constructor(childOrEnd: ChildProcess | ProgramEnd, limits: ProgramLimits | undefined) {
    this.#limits = limits;
    if ('kind' in childOrEnd) {
      this.ended = Promise.resolve(childOrEnd);
      return;
    }
    this.#pid = childOrEnd.pid;
    if (childOrEnd.pid !== undefined && limits && !limits.backend.cgroups?.memory) {
      this.#watchdog = watchMemory(childOrEnd.pid, limits.memoryBytes);
    }
    this.ended = new Promise((resolve) => {
      childOrEnd.once('exit', (status, signal) => resolve(this.#end(status, signal)));
    });
    // A signal could not be sent; the process goes on, and we wait for it to end.
    childOrEnd.on('error', reportError);
  }

  async kill(): Promise<void> {
    const pid = this.#pid;
    if (pid === undefined) return;
    this.#killed = true;
    if (this.#limits?.backend.sandbox.kind === 'none') {
      await killTree(pid);
    } else {
      // The end of a namespace's first process ends all others, and then the one that waits for it.
      const first = childrenOf(pid);
      (first.length > 0 ? first : [pid]).forEach(killProcess);
    }
    await this.ended;
  }

  terminate(): void {
    if (this.#pid === undefined) return;
    const isSandboxed = this.#limits?.backend.sandbox.kind !== 'none';
    // The first process of a namespace waits for its first child, the program.
    const programs = isSandboxed ? childrenOf(this.#pid).flatMap(childrenOf) : [this.#pid];
    programs.slice(0, 1).forEach(terminateProcess);
  }

  throttle(): void {
    const limits = this.#limits;
    if (!limits || this.#pid === undefined) return;
    if (limits.backend.cgroups?.cpu) {
      limits.cgroup?.limitCpu(limits.cpuShare);
      return;
    }
    for (const pid of treeOf(this.#pid)) lower(pid);
  }

  /** The numbers of all its processes. */
  processes(): number[] {
    return this.#pid === undefined ? [] : treeOf(this.#pid);
  }

  peakMemory(): number {
    if (this.#peak > 0) return this.#peak;
    return this.#limits?.backend.cgroups?.memory
      ? (this.#limits.cgroup?.peakMemory() ?? 0)
      : (this.#watchdog?.peak ?? 0);
  }

  async #end(status: number | null, signal: string | null): Promise<ProgramEnd> {
    this.#peak = this.peakMemory();
    this.#watchdog?.stop();
    const outOfMemory =
      this.#watchdog?.ranOutOfMemory === true || this.#limits?.cgroup?.ranOutOfMemory() === true;
    try {
      await this.#removeRest();
    } catch (error) {
      // The program has ended all the same, and the API process waits for its end.
      reportError(error);
    }
    // Not every sandbox reports that its first process was killed.
    const byUs = this.#killed || this.#watchdog?.ranOutOfMemory === true;
    const killedBy = byUs ? 'SIGKILL' : (signal ?? signalOf(status ?? 0));
    if (killedBy === undefined) return { kind: 'exited', status: status ?? 0 };
    return { kind: 'killed', signal: killedBy, outOfMemory: outOfMemory && killedBy === 'SIGKILL' };
  }

  /** Whatever the program left running ends with it. */
  async #removeRest(): Promise<void> {
    const { backend, cgroup, user } = this.#limits ?? {};
    await cgroup?.remove();
    if (backend?.sandbox.kind !== 'none') return;
    this.#watchdog?.seen.forEach((startedAt, pid) => {
      // Process ids are reused: only one with the same start time is the process that was seen.
      if (startTimeOf(pid) === startedAt) killProcess(pid);
    });
    const { setpriv, tools } = backend;
    if (setpriv === undefined || user === undefined) return;
    // As the sandbox's user, who may signal only the processes of this sandbox.
    const killAll = [setpriv, ...asUserCommand(user), tools.sh, '-c', 'kill -9 -1'] as const;
    // It kills itself too, which is not a failure.
    await runTool([...killAll]).catch(() => {});
  }
}

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * A sandbox reports that a signal killed its program as shells do. A program that exits with such a status by itself counts as
 * killed: the status is the same.
 */
function signalOf(status: number): string | undefined {
  return status > 128 ? signals.get(status - 128) : undefined;
}

const lowPriority = 10;

function lower(pid: number): void {
  try {
    setPriority(pid, lowPriority);
  } catch {
    // It has ended in the meantime.
  }
}

interface MemoryWatchdog {
  readonly ranOutOfMemory: boolean;
  readonly peak: number;
  /** Every process ever seen, with its start time; some may have left the tree since. */
  readonly seen: ReadonlyMap<number, string>;
  stop(): void;
}

/** Pause of the memory watchdog, where no control group limits memory. */
const watchMilliseconds = 20;

/** Looking for new processes costs more than asking the known ones. */
const ticksBetweenTrees = 5;

/** Kills a program whose processes together hold more memory than they may. */
function watchMemory(root: number, limit: number): MemoryWatchdog {
  const seen = new Map<number, string>();
  let known: number[] = [];
  let tick = 0;
  const state = { ranOutOfMemory: false, peak: 0, seen, stop: () => clearInterval(timer) };

  function look(): void {
    if (state.ranOutOfMemory) return;
    if (tick % ticksBetweenTrees === 0) {
      known = treeOf(root);
      for (const pid of known) if (!seen.has(pid)) seen.set(pid, startTimeOf(pid) ?? '');
    }
    tick += 1;
    const held = known.reduce((sum, pid) => sum + ownMemory(pid), 0);
    state.peak = Math.max(state.peak, held);
    if (held <= limit) return;
    state.ranOutOfMemory = true;
    inBackground(killTree(root));
  }

  const timer = setInterval(look, watchMilliseconds);
  timer.unref();
  look();
  return state;
}
