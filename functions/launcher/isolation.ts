/** How functions are isolated from the host, as the launcher's self-test found it; reported by `hob doctor`. */
export interface Isolation {
  readonly tier: IsolationTier;
  /** One line each: what is enforced and by what, or what is not and why. */
  readonly enforced: Readonly<Record<Enforced, Enforcement>>;
}

/** From the strongest to the weakest. */
export const isolationTiers = ['full', 'user', 'container', 'bare'] as const;
export type IsolationTier = (typeof isolationTiers)[number];

export const enforcedSettings = [
  'timeout',
  'memory',
  'cpu',
  'temporary-storage',
  'files',
  'network',
  'user',
  'system-calls',
  'processes',
] as const;
export type Enforced = (typeof enforcedSettings)[number];

export interface Enforcement {
  readonly strength: 'full' | 'partial' | 'none';
  /** By what: "memory cgroup (v1)", "watchdog every 20 ms". */
  readonly by: string;
  /** What would make it stronger: "Install bubblewrap."; absent when there is nothing to do. */
  readonly advice?: string;
}
