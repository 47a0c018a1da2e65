import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { descendants } from '../faults/host.ts';
import type { Installation } from './installation.ts';

/** Milliseconds of processor time since the start, by what used them, and transactions that PostgreSQL refused to serialize. */
export interface Used {
  /** The processes that answer requests. */
  readonly api: number;
  /** The git process and every git below it. */
  readonly git: number;
  /** The launcher and functions. */
  readonly functions: number;
  readonly postgres: number;
  readonly redis: number;
  readonly retries: number;
}

export const usedNames = ['api', 'git', 'functions', 'postgres', 'redis', 'retries'] as const;

export function usedBy(installation: Installation): Used {
  const { nodes, redis } = installation.processes();
  const { folder } = installation.postgres;
  const pidFile = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8');
  const log = readFileSync(join(folder, 'log'), 'utf8');
  const below = (program: string): number[] =>
    nodes.flatMap((pid) => descendants(pid, program).flatMap(withDescendants));
  return {
    api: timeOf(nodes),
    git: timeOf(below('git-process.ts')),
    functions: timeOf(below('launcher-process.ts')),
    postgres: timeOf(withDescendants(Number(pidFile.split('\n')[0]))),
    redis: timeOf([redis]),
    retries: log.match(/ERROR: {2}(?:could not serialize|deadlock detected)/g)?.length ?? 0,
  };
}

/** What was used between two points in time, for each of a number of operations. */
export function usedPerOperation(before: Used, after: Used, operations: number): Used {
  const per = (key: keyof Used): number => (after[key] - before[key]) / operations;
  return {
    api: per('api'),
    git: per('git'),
    functions: per('functions'),
    postgres: per('postgres'),
    redis: per('redis'),
    retries: per('retries'),
  };
}

/** Without what the processes use in that many seconds of one operation while no client sends requests. */
export function withoutIdle(used: Used, idle: Used, seconds: number): Used {
  const net = (key: keyof Used): number => Math.max(0, used[key] - idle[key] * seconds);
  return {
    api: net('api'),
    git: net('git'),
    functions: net('functions'),
    postgres: net('postgres'),
    redis: net('redis'),
    retries: used.retries,
  };
}

const idleSeconds = 10;

/** What is used in a second while no client sends requests. */
export async function idleSecondOf(installation: Installation): Promise<Used> {
  const before = usedBy(installation);
  await delay(idleSeconds * 1000);
  return usedPerOperation(before, usedBy(installation), idleSeconds);
}

export function totalOf({ api, git, functions, postgres, redis }: Used): number {
  return api + git + functions + postgres + redis;
}

const withDescendants = (pid: number): number[] => [pid, ...descendants(pid)];

/** USER_HZ is 100 on Linux. */
const millisecondsPerTick = 10;

/** What has ended is counted by its parent (proc(5): cutime, cstime), which a server is not of the parts that it supervises. */
function timeOf(pids: readonly number[]): number {
  const ticks = [...new Set(pids)].map((pid) => {
    const stat = statOf(pid);
    // The name of the program is in brackets and may have any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * millisecondsPerTick;
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended: its parent counts it.
    return '';
  }
}
