/**
 * Checks before a start whether a program can run: from inside a sandbox "no such file" would look like the program's own
 * output.
 */
import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';

import { entryAt, firstBytes } from '../storage/follow-links.ts';
import type { Entry, HostPath } from '../storage/follow-links.ts';
import type { NotStarted } from '../launcher.ts';

export type Found =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'not-started'; readonly reason: NotStarted; readonly message: string };

export interface Wanted {
  readonly command: string;
  readonly directory: string;
  /** Where commands without a slash are looked for. */
  readonly searchPath: string | undefined;
  /** Whether it will run as another user than this process. */
  readonly asOtherUser: boolean;
}

const defaultSearchPath = '/usr/local/bin:/usr/bin:/bin';

export function findProgram(wanted: Wanted, hostPath: HostPath): Found {
  const look = (path: string): Entry | undefined => entryAt(path, hostPath);
  const directory = look(wanted.directory);
  if (!directory?.stats.isDirectory()) {
    return refused('no-such-directory', `Directory ${wanted.directory} not found.`);
  }
  const path = candidatePaths(wanted).find((candidate) => look(candidate)?.stats.isFile());
  const entry = path === undefined ? undefined : look(path);
  if (path === undefined || !entry) {
    const there = wanted.command.includes('/') && look(join(wanted.directory, wanted.command));
    return there
      ? refused('not-permitted', `${wanted.command} is a directory.`)
      : refused('no-such-file', `Program ${wanted.command} not found.`);
  }
  if (!mayRun(entry.stats, wanted.asOtherUser)) {
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

function mayRun(stats: Stats, asOtherUser: boolean): boolean {
  const bits = constants.S_IXOTH | (asOtherUser ? 0 : constants.S_IXUSR | constants.S_IXGRP);
  return (stats.mode & bits) !== 0;
}

/** What the kernel would refuse: a file that is not executable code, a script whose interpreter is missing. */
function refusedContent(
  name: string,
  path: string,
  look: (path: string) => Entry | undefined,
): Found | undefined {
  const start = firstBytes(path);
  // We cannot read it, but the kernel may be able to run it.
  if (start === undefined || start.startsWith('\x7fELF')) return undefined;
  const interpreter = /^#![ \t]*([^\s]+)/.exec(start)?.[1];
  if (interpreter === undefined) {
    const native = process.platform !== 'linux' && !start.startsWith('#!');
    return native ? undefined : refused('other', `${name}: exec format error`);
  }
  if (look(interpreter)) return undefined;
  return refused('no-such-file', `${name} is a script for ${interpreter}, which was not found.`);
}
