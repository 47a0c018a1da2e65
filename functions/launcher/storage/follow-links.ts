/** Resolves a path of a sandbox without entering it. */
import { closeSync, constants, fstatSync, lstatSync } from 'node:fs';
import { openSync, readlinkSync, readSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/** The path of the host that a path of the sandbox stands for; undefined when it stands for nothing. */
export type HostPath = (sandboxPath: string) => string | undefined;

export interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

/** Links that the path of a program may lead through. */
const linksMax = 40;

/** Follows links as the sandbox would: an absolute one starts at its `/`, not at the host's. */
export function entryAt(sandboxPath: string, hostPath: HostPath): Entry | undefined {
  let rest = sandboxPath.split('/').filter(Boolean);
  let done = '/';
  let links = 0;
  while (rest.length > 0) {
    const [name = '', ...others] = rest;
    rest = others;
    if (name === '..') {
      done = dirname(done);
      continue;
    }
    const next = join(done, name);
    const target = linkTarget(hostPath(next));
    if (target === undefined) {
      done = next;
      continue;
    }
    links += 1;
    if (links > linksMax) return undefined;
    rest = [...target.split('/').filter(Boolean), ...rest];
    if (target.startsWith('/')) done = '/';
  }
  const path = hostPath(done);
  const stats = path === undefined ? undefined : statsOf(path);
  return path !== undefined && stats ? { path, stats } : undefined;
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    // Nothing is there, or nothing that we could start: too long a name, a process of others.
    return undefined;
  }
}

function linkTarget(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readlinkSync(path);
  } catch {
    // Not a link, or nothing at all: the last step finds out which.
    return undefined;
  }
}

/**
 * The beginning of a file that `entryAt` has found; undefined where it cannot be read. A program of the sandbox may replace the
 * file by a pipe or a link at any time: nothing here waits for a pipe, and we check the opened file, not the path.
 */
export function firstBytes(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!fstatSync(file).isFile() || !isAt(file, path)) return undefined;
      const bytes = Buffer.alloc(256);
      return bytes.toString('latin1', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Whether no link was followed on the way to an open file; elsewhere than on Linux there is no sandbox that could set one. */
function isAt(file: number, path: string): boolean {
  return process.platform !== 'linux' || readlinkSync(`/proc/self/fd/${file}`) === path;
}
