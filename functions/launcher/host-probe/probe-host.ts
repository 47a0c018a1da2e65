/** Finds out what this host lets us do by doing it: candidates here, each tried by self-test.ts. */
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  realpath,
  stat,
  writeFile,
} from 'node:fs/promises';
import { constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { present } from '#platform/present.ts';

import type { CgroupHierarchy } from '../cgroups/cgroup.ts';
import { findCgroups } from '../cgroups/find-cgroups.ts';
import { findHostTools, type HostTools } from '../process/host-tools.ts';
import type { LauncherStart } from '../isolation.ts';
import { loopbackUp } from '../network/network-namespace.ts';
import type { IsolationBackend, SandboxBackend } from '../sandbox/isolation-backend.ts';
import { filteredArchitecture, seccompFilter } from '../sandbox/seccomp-filter.ts';
import { BindMountCache } from '../storage/bind-mount-cache.ts';
import { asUserCommand, UserRange } from '../process/users.ts';
import { runTool } from '../process/start-process.ts';
import { folderStorage, imageStorage, memoryStorage } from '../storage/temporary-storage.ts';
import { passesSelfTest } from './self-test.ts';

export async function probeHost(
  start: LauncherStart,
  cgroupParent: string,
): Promise<IsolationBackend> {
  const tools = toolsWithShell(findHostTools(start.without));
  const strongest = start.strongestTier;
  // In a user namespace our user id is 0 without our being root on the host.
  const root = process.getuid?.() === 0 && !(await mappedRoot());
  const namespaces = start.ownNamespaces && (strongest === 'full' || strongest === 'user');
  const cgroups = strongest === 'full' ? await findCgroups(cgroupParent) : undefined;
  const folder = namespaces ? await coveredFolder(start.folder, tools) : start.folder;
  const users =
    root && (strongest === 'full' || strongest === 'container')
      ? await UserRange.claim(start.folder)
      : undefined;
  const setpriv = users && namespaces && (await usableSetpriv(tools, folder, users.first));
  const loopback = loopbackUp(tools);
  const common = {
    tools,
    folder,
    reachable: new BindMountCache(tools, join(folder, 'reachable')),
    ...(cgroups ? { cgroups } : {}),
    ...(users && typeof setpriv === 'string' ? { setpriv, users } : {}),
    ...(namespaces && loopback !== undefined ? { loopbackUp: loopback } : {}),
  };
  const storages = namespaces
    ? mountedStorages(start.folder, folder, tools, root && strongest === 'full', cgroups)
    : [];
  for (const storage of [...storages, folderChoice(folder)]) {
    for (const sandbox of namespaces ? await sandboxes(tools, start.folder) : []) {
      const backend: IsolationBackend = { ...common, ...storage, sandbox };
      if (await passesSelfTest(backend)) return backend;
    }
  }
  return {
    tools,
    folder: start.folder,
    reachable: common.reachable,
    ...(cgroups ? { cgroups } : {}),
    ...(users ? await usersByGroup(tools, start, users) : {}),
    ...folderChoice(start.folder),
    sandbox: { kind: 'none' },
  };
}

/** Without mounts, programs open their files by host paths: a group of their own may traverse directories closed to others. */
async function usersByGroup(
  tools: HostTools,
  { folder, ownFolders }: LauncherStart,
  users: UserRange,
): Promise<Pick<IsolationBackend, 'setpriv' | 'users' | 'group'>> {
  const group = users.first;
  for (const own of [...ownFolders, folder]) {
    const { mode, uid } = await stat(own);
    await chown(own, uid, group);
    await chmod(own, (mode & 0o7777) | constants.S_IXGRP);
  }
  const setpriv = await usableSetpriv(tools, folder, users.first, group);
  return setpriv === undefined ? {} : { setpriv, users, group };
}

function toolsWithShell(tools: HostTools): HostTools & { readonly sh: string } {
  return { ...tools, sh: tools.sh ?? '/bin/sh' };
}

/** Whether root in this user namespace is another user on the host. */
async function mappedRoot(): Promise<boolean> {
  const map = await readFile('/proc/self/uid_map', 'utf8').catch(() => '');
  return map !== '' && !/^\s*0\s+0\s/.test(map);
}

/**
 * A directory that every user in the mount namespace may traverse and that is not visible outside it: a tmpfs over a directory of
 * the host that this process does not use.
 */
async function coveredFolder(own: string, tools: HostTools): Promise<string> {
  const inUse = [own, tmpdir(), process.execPath, import.meta.dirname];
  for (const cover of ['/dev/shm', '/mnt', '/media', '/srv', '/opt']) {
    if (inUse.some((path) => path === cover || path.startsWith(`${cover}/`))) continue;
    try {
      await readdir(cover);
      await runTool([tools.mount ?? 'mount', '-t', 'tmpfs', '-o', 'mode=711', 'hob', cover]);
      return await realpath(cover);
    } catch {
      // The next one may do.
    }
  }
  return own;
}

/** Another user is of use only where it can traverse the path to the sandboxes' files. */
async function usableSetpriv(
  tools: HostTools,
  folder: string,
  user: number,
  group?: number,
): Promise<string | undefined> {
  const { setpriv, sh = '/bin/sh' } = tools;
  if (setpriv === undefined) return undefined;
  try {
    const probe = join(folder, 'traversal');
    await mkdir(probe, { recursive: true });
    await chmod(probe, constants.S_IRWXU | constants.S_IXOTH);
    await runTool([setpriv, ...asUserCommand(user, group), '--', sh, '-c', 'cd "$1"', 'sh', probe]);
    return setpriv;
  } catch {
    return undefined;
  }
}

type StorageChoice = Pick<IsolationBackend, 'storage' | 'storageKind'>;

function mountedStorages(
  folder: string,
  covered: string,
  tools: HostTools,
  mayLoop: boolean,
  cgroups: CgroupHierarchy | undefined,
): StorageChoice[] {
  const { mount, umount, 'mkfs.ext4': mkfs } = tools;
  if (mount === undefined || umount === undefined) return [];
  const parent = join(covered, 'temporary');
  const memory: StorageChoice = {
    storageKind: 'memory',
    storage: memoryStorage({ mount, umount }, parent),
  };
  // Where no cgroup charges a tmpfs to the program's memory, it is as good and faster.
  if (!cgroups?.memory || !mayLoop || mkfs === undefined) return [memory];
  const storage = imageStorage({ mount, umount, 'mkfs.ext4': mkfs }, folder, parent);
  return [{ storageKind: 'image', storage }, memory];
}

function folderChoice(folder: string): StorageChoice {
  return { storageKind: 'folder', storage: folderStorage(join(folder, 'temporary')) };
}

async function sandboxes(tools: HostTools, folder: string): Promise<SandboxBackend[]> {
  const { bwrap, unshare, sh, setpriv, mount } = tools;
  const found: SandboxBackend[] = [];
  if (bwrap !== undefined) {
    const filter = await writeFilter(folder);
    found.push({ kind: 'bubblewrap', bwrap, ...present({ filter }) });
  }
  if (unshare && sh && setpriv && mount) {
    const line = loopbackUp(tools) ?? ':';
    found.push({ kind: 'shell', tools: { unshare, sh, setpriv, mount, loopbackUp: line } });
  }
  return found;
}

async function writeFilter(folder: string): Promise<string | undefined> {
  const architecture = filteredArchitecture(process.arch);
  if (architecture === undefined) return undefined;
  const path = join(folder, 'system-calls');
  await writeFile(path, seccompFilter(architecture), { mode: 0o600 });
  return path;
}
