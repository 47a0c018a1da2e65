import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import {
  cpuPeriod,
  cpuQuotaMin,
  type Cgroup,
  type CgroupHierarchy,
  type CgroupLimits,
  killAndRemove,
  makeCgroup,
  readCount,
  readNumber,
  tryWrite,
  write,
} from './cgroup.ts';

/**
 * Version 2 has one tree, and only a group without processes can enable controllers for its children. So we take the nearest
 * ancestor of our own group that allows it: on a desktop the user's own, as root the root group.
 */
export function cgroupsV2(
  mountPoint: string,
  own: string,
  cgroupParent: string,
): CgroupHierarchy | undefined {
  const home = [...upwards(own, mountPoint)].find((folder) => isDelegated(folder, cgroupParent));
  if (home === undefined) return undefined;
  const parent = join(home, cgroupParent);
  const controllers = readControllers(parent);
  return {
    name: 'cgroup v2',
    memory: controllers.has('memory'),
    processes: controllers.has('pids'),
    cpu: controllers.has('cpu'),
    parents: [parent],
    async begin() {
      await killAndRemove(parent);
      makeCgroup(parent);
      enableControllers(parent);
    },
    make: (name, limits) => makeGroup(join(parent, name), controllers, limits),
    end: () => killAndRemove(parent),
  };
}

function* upwards(own: string, mountPoint: string): Iterable<string> {
  for (let folder = own; folder.startsWith(mountPoint); folder = dirname(folder)) {
    yield folder;
    if (folder === mountPoint) return;
  }
}

function isDelegated(folder: string, cgroupParent: string): boolean {
  try {
    enableControllers(folder);
    makeCgroup(join(folder, cgroupParent));
    return readControllers(join(folder, cgroupParent)).has('memory');
  } catch {
    return false;
  }
}

function enableControllers(folder: string): void {
  for (const controller of ['memory', 'pids', 'cpu']) {
    tryWrite(folder, 'cgroup.subtree_control', `+${controller}`);
  }
}

function readControllers(folder: string): Set<string> {
  return new Set(readFileSync(join(folder, 'cgroup.controllers'), 'utf8').trim().split(/\s+/));
}

function makeGroup(folder: string, controllers: Set<string>, limits: CgroupLimits): Cgroup {
  makeCgroup(folder);
  if (controllers.has('memory')) {
    write(folder, 'memory.max', String(limits.memoryBytes));
    tryWrite(folder, 'memory.swap.max', '0');
    // The OOM killer ends the whole group, not only the process that it selects.
    tryWrite(folder, 'memory.oom.group', '1');
  }
  if (controllers.has('pids')) write(folder, 'pids.max', String(limits.processes));
  return {
    procsFiles: [join(folder, 'cgroup.procs')],
    limitCpu(share) {
      if (!controllers.has('cpu')) return;
      const quota = Math.max(cpuQuotaMin, Math.round(cpuPeriod * share));
      write(folder, 'cpu.max', `${quota} ${cpuPeriod}`);
    },
    ranOutOfMemory: () => (readCount(folder, 'memory.events', 'oom_kill') ?? 0) > 0,
    peakMemory() {
      // Kernels before 5.19 do not record the peak.
      const peak = readNumber(folder, 'memory.peak') ?? readNumber(folder, 'memory.current') ?? 0;
      const cached = readCount(folder, 'memory.stat', 'file') ?? 0;
      const shared = readCount(folder, 'memory.stat', 'shmem') ?? 0;
      return Math.max(0, peak - (cached - shared));
    },
    remove: () => killAndRemove(folder),
  };
}
