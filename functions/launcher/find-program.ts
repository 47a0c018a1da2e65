/**
 * Whether a program can be started, found out before anything is: from inside a sandbox "no such file" would look like
 * the program's own words.
 */
import { constants, openSync, closeSync, readSync, statSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';

import type { NotStarted } from './launcher.ts';

/** The path of the host that a path of the sandbox stands for; undefined when it stands for nothing. */
export type HostPath = (inside: string) => string | undefined;

export type Found =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'not-started'; readonly reason: NotStarted; readonly message: string };

export interface Wanted {
  readonly command: string;
  readonly directory: string;
  /** Where commands without a slash are looked for. */
  readonly searchPath: string | undefined;
  /** Whether it will run as somebody else than this process. */
  readonly asStranger: boolean;
}

const defaultSearchPath = '/usr/local/bin:/usr/bin:/bin';

export function findProgram(wanted: Wanted, hostPath: HostPath): Found {
  const look = (path: string): Entry | undefined => entryAt(path, hostPath);
  const directory = look(wanted.directory);
  if (!directory?.stats.isDirectory()) {
    return refused('no-such-directory', `There is no directory ${wanted.directory}.`);
  }
  const path = candidatePaths(wanted).find((candidate) => look(candidate)?.stats.isFile());
  const entry = path === undefined ? undefined : look(path);
  if (path === undefined || !entry) {
    const there = wanted.command.includes('/') && look(join(wanted.directory, wanted.command));
    return there
      ? refused('not-permitted', `${wanted.command} is a directory.`)
      : refused('no-such-file', `There is no program ${wanted.command}.`);
  }
  if (!mayRun(entry.stats, wanted.asStranger)) {
    return refused('not-permitted', `${path} is not executable.`);
  }
  return refusedContent(path, entry.path, look) ?? { kind: 'found', path };
}

function refused(reason: NotStarted, message: string): Found {
  return { kind: 'not-started', reason, message };
}

function candidatePaths({ command, directory, searchPath }: Wanted): string[] {
  if (command.startsWith('/')) return [command];
  if (command.includes('/')) return [join(directory, command)];
  return (searchPath ?? defaultSearchPath).split(':').map((folder) => join(folder, command));
}

function mayRun(stats: Stats, asStranger: boolean): boolean {
  const bits = constants.S_IXOTH | (asStranger ? 0 : constants.S_IXUSR | constants.S_IXGRP);
  return (stats.mode & bits) !== 0;
}

/** What the kernel would refuse: a file that is no program, a script whose interpreter is not there. */
function refusedContent(
  name: string,
  path: string,
  look: (path: string) => Entry | undefined,
): Found | undefined {
  const start = firstBytes(path);
  // Unreadable for us, but perhaps not for the kernel.
  if (start === undefined || start.startsWith('\x7fELF')) return undefined;
  const interpreter = /^#![ \t]*([^\s]+)/.exec(start)?.[1];
  if (interpreter === undefined) {
    const native = process.platform !== 'linux' && !start.startsWith('#!');
    return native ? undefined : refused('other', `${name}: exec format error`);
  }
  if (look(interpreter)) return undefined;
  return refused('no-such-file', `${name} is a script for ${interpreter}, which is not there.`);
}

function firstBytes(path: string): string | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(256);
      return bytes.toString('latin1', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

const linksMax = 40;

/** Follows links as the sandbox would: an absolute one starts at its `/`, not at the host's. */
function entryAt(inside: string, hostPath: HostPath): Entry | undefined {
  let rest = inside.split('/').filter(Boolean);
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
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return path !== undefined && stats ? { path, stats } : undefined;
}

function linkTarget(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readlinkSync(path);
  } catch {
    // Not a link, or nothing at all: the last step tells.
    return undefined;
  }
}
