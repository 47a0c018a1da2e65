import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';

/** The number of the launcher process that this process started last; undefined while there is none. */
export async function findLauncher(): Promise<number | undefined> {
  const own: { pid: number; parent: number; since: number }[] = [];
  for (const pid of await processesWith('launcher-process.ts')) {
    // The shell and `unshare` around it have the same arguments, and outlive it briefly.
    const isItself = (await commandOf(pid)).startsWith(process.execPath);
    // Other tests of this machine have launchers too.
    if (isItself && (await descendsFromUs(pid))) {
      own.push({ pid, parent: await parentOf(pid), since: await startOf(pid) });
    }
  }
  // A program that it is about to start has its arguments until execve(2).
  const launchers = own.filter(({ parent }) => !own.some(({ pid }) => pid === parent));
  // By age: numbers of processes begin again where they have come to their end.
  return launchers.toSorted((a, b) => a.since - b.since).at(-1)?.pid;
}

/** Kills it without warning, as the kernel would; returns its process id. */
export async function killLauncher(): Promise<number> {
  const pid = await findLauncher();
  assert.ok(pid !== undefined, 'There is no launcher process.');
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** Numbers of all processes whose command line has this text. */
export async function processesWith(args: string): Promise<number[]> {
  const found = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    if ((await commandOf(Number(name))).includes(args)) found.push(Number(name));
  }
  return found.toSorted((a, b) => a - b);
}

function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
}

/** When a process was started, in ticks since the system was. */
async function startOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program, in parentheses, may hold anything.
  return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? 0);
}

async function descendsFromUs(pid: number): Promise<boolean> {
  if (pid === process.pid) return true;
  const parent = await parentOf(pid);
  return parent > 1 && descendsFromUs(parent);
}

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}
