/** Control groups: the kernel counts and limits what a program and everything that it starts use. */

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
/** The smallest quota that the kernel accepts. */
export const cpuQuotaMin = 1000;
