/** What `/proc` reports about a process and its descendants, for hosts without control groups. */
import { readdirSync, readFileSync } from 'node:fs';

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

/** A process and everything below it; `visit` has each before its children are read. */
export function treeOf(pid: number, visit: (pid: number) => void = () => {}): number[] {
  visit(pid);
  return [pid, ...childrenOf(pid).flatMap((child) => treeOf(child, visit))];
}

/**
 * Kills a process and everything below it. All are stopped first: one that runs could start another between our reading of its children
 * and its end. A process with several threads stops only once one of them has handled the signal, so we look until nothing new is there.
 */
export function killTree(root: number): void {
  const stopped = new Set<number>();
  let before: number;
  do {
    before = stopped.size;
    for (const pid of treeOf(root, stop)) stopped.add(pid);
  } while (stopped.size > before);
  stopped.forEach(killProcess);

  function stop(pid: number): void {
    if (!stopped.has(pid)) signal(pid, 'SIGSTOP');
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

function signal(pid: number, name: 'SIGKILL' | 'SIGSTOP'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}
