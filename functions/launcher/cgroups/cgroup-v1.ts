import { join } from 'node:path';

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

/** Where this process is in each controller's tree. */
export interface ControllerFolders {
  readonly memory?: string;
  readonly pids?: string;
  readonly cpu?: string;
}

/** Version 1 has one tree for each controller. */
export function cgroupsV1(homes: ControllerFolders, cgroupParent: string): CgroupHierarchy {
  const parents = Object.values(homes).map((home) => join(home, cgroupParent));
  return {
    name: 'cgroup v1',
    memory: homes.memory !== undefined,
    processes: homes.pids !== undefined,
    cpu: homes.cpu !== undefined,
    parents,
    async begin() {
      await Promise.all(parents.map(killAndRemove));
      parents.forEach(makeCgroup);
    },
    make: (name, limits) => makeGroup(homes, join(cgroupParent, name), limits),
    async end() {
      await Promise.all(parents.map(killAndRemove));
    },
  };
}

function makeGroup(homes: ControllerFolders, name: string, limits: CgroupLimits): Cgroup {
  const under = (home: string | undefined): string | undefined => home && join(home, name);
  const [memory, pids, cpu] = [under(homes.memory), under(homes.pids), under(homes.cpu)];
  const folders = [memory, pids, cpu].filter((folder) => folder !== undefined);
  folders.forEach(makeCgroup);
  if (memory !== undefined) {
    write(memory, 'memory.limit_in_bytes', String(limits.memoryBytes));
    // Without it the program would swap beyond its limit. A host without swap accounting has no such file.
    tryWrite(memory, 'memory.memsw.limit_in_bytes', String(limits.memoryBytes));
  }
  if (pids !== undefined) write(pids, 'pids.max', String(limits.processes));
  return {
    // Not cgroup.procs: moving a whole process waits 10 ms for every processor; moving its only thread is immediate.
    procsFiles: folders.map((folder) => join(folder, 'tasks')),
    limitCpu(share) {
      if (cpu === undefined) return;
      write(cpu, 'cpu.cfs_period_us', String(cpuPeriod));
      const quota = Math.max(cpuQuotaMin, Math.round(cpuPeriod * share));
      write(cpu, 'cpu.cfs_quota_us', String(quota));
    },
    ranOutOfMemory: () =>
      memory !== undefined && (readCount(memory, 'memory.oom_control', 'oom_kill') ?? 0) > 0,
    peakMemory() {
      if (memory === undefined) return 0;
      const peak = readNumber(memory, 'memory.max_usage_in_bytes') ?? 0;
      const cached = readCount(memory, 'memory.stat', 'total_cache') ?? 0;
      const shared = readCount(memory, 'memory.stat', 'total_shmem') ?? 0;
      return Math.max(0, peak - (cached - shared));
    },
    async remove() {
      await Promise.all(folders.map(killAndRemove));
    },
  };
}
