import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
