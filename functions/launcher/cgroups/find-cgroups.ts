import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { type CgroupHierarchy, makeCgroup } from './cgroup.ts';
import { cgroupsV1, type ControllerFolders } from './cgroup-v1.ts';
import { cgroupsV2 } from './cgroup-v2.ts';

/** The control groups that this process may create; undefined where it may create none that limit memory. */
export async function findCgroups(cgroupParent: string): Promise<CgroupHierarchy | undefined> {
  let trees: CgroupTree[];
  try {
    trees = cgroupTrees(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
    );
  } catch {
    // No such files: not Linux.
    return undefined;
  }
  for (const candidate of candidates(trees, cgroupParent)) {
    if (candidate !== undefined && (await works(candidate))) return candidate;
  }
  return undefined;
}

/** A mounted tree of control groups. */
export interface CgroupTree {
  /** Of version 1; empty for version 2. */
  readonly controllers: readonly string[];
  readonly mountPoint: string;
  /** The folder of the group that this process is in. */
  readonly own: string;
}

/** Reads proc(5)'s mountinfo and cgroup files. */
export function cgroupTrees(mountInfo: string, membership: string): CgroupTree[] {
  return mountInfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '/', mountPoint = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    const controllers = type === 'cgroup2' ? [] : options.split(',');
    const path = ownPath(membership, controllers);
    if (path === undefined) return [];
    const below = relative(root, path);
    // A container sees a part of the tree; its own group is then the top of what it sees.
    const own = below.startsWith('..') ? mountPoint : join(mountPoint, below);
    return [{ controllers, mountPoint, own }];
  });
}

function ownPath(membership: string, controllers: readonly string[]): string | undefined {
  for (const line of membership.split('\n')) {
    const [, names = '', path] = line.split(':');
    const matches =
      controllers.length === 0
        ? names === ''
        : names.split(',').some((name) => name !== '' && controllers.includes(name));
    if (matches && path !== undefined) return path;
  }
  return undefined;
}

function* candidates(
  trees: readonly CgroupTree[],
  cgroupParent: string,
): Iterable<CgroupHierarchy | undefined> {
  const homes: Record<string, string> = {};
  for (const name of ['memory', 'pids', 'cpu']) {
    const tree = trees.find(({ controllers }) => controllers.includes(name));
    if (tree && mayMakeFolders(tree.own, cgroupParent)) homes[name] = tree.own;
  }
  const first: ControllerFolders = homes;
  if (first.memory !== undefined) yield cgroupsV1(first, cgroupParent);
  const second = trees.find(({ controllers }) => controllers.length === 0);
  if (second) yield cgroupsV2(second.mountPoint, second.own, cgroupParent);
}

function mayMakeFolders(home: string, cgroupParent: string): boolean {
  try {
    makeCgroup(join(home, cgroupParent));
    return true;
  } catch {
    return false;
  }
}

/** Creates a group and removes it again: a group that can be created need not be usable. */
async function works(hierarchy: CgroupHierarchy): Promise<boolean> {
  try {
    await hierarchy.begin();
    const probe = hierarchy.make('probe', { memoryBytes: 2 ** 26, processes: 16 });
    await probe.remove();
    return true;
  } catch {
    return false;
  }
}
