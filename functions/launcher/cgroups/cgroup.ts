import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { errorCode } from '#platform/error-code.ts';

/** What a control group limits: the kernel counts and limits what a program and everything that it starts use. */
export interface CgroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

/** Where groups can be created; false for what the host cannot limit. */
export interface CgroupHierarchy {
  readonly name: 'cgroup v1' | 'cgroup v2';
  readonly memory: boolean;
  readonly processes: boolean;
  readonly cpu: boolean;
  /** The folders that all groups are in. */
  readonly parents: readonly string[];
  /** Ends what a killed launcher left in our groups, and creates the parent of the new ones. */
  begin(): Promise<void>;
  make(name: string, limits: CgroupLimits): Cgroup;
  end(): Promise<void>;
}

/** One group, of one program. */
export interface Cgroup {
  /** A single-threaded process joins the group by writing 0, with all its children. */
  readonly procsFiles: readonly string[];
  /** A share of one processor, more than 1 for several. */
  limitCpu(share: number): void;
  /** Whether the OOM killer killed a process of the group. */
  ranOutOfMemory(): boolean;
  /** In bytes, without the page cache, which the kernel reclaims when it needs to. */
  peakMemory(): number;
  /** Kills what is in it, and resolves when that is gone and the group removed. */
  remove(): Promise<void>;
}

/** The period of the processor's quota, in microseconds: short, so that a throttled program does not stutter. */
export const cpuPeriod = 20_000;

/** Quota of the processor in microseconds, the smallest that the kernel accepts. */
export const cpuQuotaMin = 1000;

/** The kernel lists a process that is not in our PID namespace as 0. */
function processesIn(folder: string): number[] {
  const listed = readOptional(join(folder, 'cgroup.procs')) ?? '';
  return listed
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

export function makeCgroup(folder: string): void {
  mkdirSync(folder, { recursive: true });
}

export function readNumber(folder: string, file: string): number | undefined {
  const text = readOptional(join(folder, file))?.trim();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Reads a flat keyed file: one "key value" pair a line (cgroups(7)). */
export function readCount(folder: string, file: string, key: string): number | undefined {
  const found = new RegExp(`^${key} (\\d+)$`, 'm').exec(readOptional(join(folder, file)) ?? '');
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/** False when the kernel has no such limit or refuses. */
export function tryWrite(folder: string, file: string, text: string): boolean {
  try {
    writeFileSync(join(folder, file), text);
    return true;
  } catch {
    return false;
  }
}

export function write(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

/** Time for the processes of a control group to end before its removal is given up. */
const patienceMilliseconds = 10_000;

/** Kills everything in a group and the groups below it, and removes them. */
export async function killAndRemove(folder: string): Promise<void> {
  for (const child of subfolders(folder)) await killAndRemove(join(folder, child));
  for (let waited = 0; waited < patienceMilliseconds;) {
    if (removed(folder)) return;
    if (!tryWrite(folder, 'cgroup.kill', '1')) processesIn(folder).forEach(killOne);
    const pause = waited < 20 ? 1 : 20;
    await delay(pause);
    waited += pause;
  }
  throw new Error(`The control group ${folder} still contains processes.`);
}

function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime, or we may not signal it; the next read of the group shows which.
  }
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
