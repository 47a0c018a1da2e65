/** What `/proc` reports about a process and its descendants, for hosts without control groups. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    // It has ended.
    return [];
  }
}

/** A process and everything below it. */
export function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/**
 * Kills a process and everything below it. All are stopped first: one that runs could start another between our reading of its children
 * and its end. A fork that is under way when the signal comes is still completed, so children are read again once their parents stand still.
 */
export async function killTree(root: number): Promise<void> {
  const stopped = new Set<number>();
  for (;;) {
    const running = treeOf(root).filter((pid) => !stopped.has(pid));
    if (running.length === 0) break;
    for (const pid of running) signal(pid, 'SIGSTOP');
    for (const pid of running) {
      await untilStopped(pid);
      stopped.add(pid);
    }
  }
  stopped.forEach(killProcess);
}

/** SIGSTOP takes effect a little later than kill(2) returns. */
async function untilStopped(pid: number): Promise<void> {
  for (let poll = 0; poll < stopPolls && statesOf(pid).some(isRunning); poll += 1) {
    await setTimeout(1);
  }
}

/** Nothing that gets processor time takes longer. */
const stopPolls = 1000;

/** One that waits without interruption, such as for a child that it shares its memory with (vfork(2)), starts no other meanwhile. */
function isRunning(state: string): boolean {
  return state === 'R' || state === 'S';
}

/** The states of all its threads, as in proc_pid_stat(5). */
function statesOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return stat.charAt(stat.lastIndexOf(')') + 2);
    });
  } catch {
    // It has ended.
    return [];
  }
}

/** When a process started, in clock ticks: together with its id it identifies a process uniquely. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain spaces; the 22nd field is the 20th after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Memory of a process's own in bytes: what it shares, and files that it reads, do not count. */
export function ownMemory(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
      .split(' ')
      .map(Number);
    return (resident - shared) * pageBytes;
  } catch {
    return 0;
  }
}

/** The page of x86-64, and of arm64 as all common distributions build it. */
const pageBytes = 4096;

export function killProcess(pid: number): void {
  signal(pid, 'SIGKILL');
}

export function terminateProcess(pid: number): void {
  signal(pid, 'SIGTERM');
}

function signal(pid: number, name: 'SIGKILL' | 'SIGSTOP' | 'SIGTERM'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}
