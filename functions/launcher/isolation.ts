import { OperatorError } from '#platform/operator-error.ts';

import type { ServiceAddress } from './launcher.ts';
import type { OptionalTool } from './process/host-tools.ts';

/** How functions are isolated from the host, as the launcher's self-test found it; reported by `hob doctor`. */
export interface Isolation {
  readonly tier: IsolationTier;
  /** One line each: what is enforced and by what, or what is not and why. */
  readonly enforced: Readonly<Record<Enforced, Enforcement>>;
  /** Why sandboxes cannot have the network `internet`; undefined: they can, or the setting does not ask for it. */
  readonly noInternet?: string;
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

/** The first message that the launcher process receives. */
export interface LauncherStart {
  readonly folder: string;
  readonly ownFolders: readonly string[];
  /** Whether it is in namespaces of its own, where it may mount. */
  readonly ownNamespaces: boolean;
  readonly strongestTier: IsolationTier;
  /** Tools of the host that are not to be used. */
  readonly without: readonly OptionalTool[];
  /** Undefined: programs do not reach the service. */
  readonly service: ServiceAddress | undefined;
  /** Whether to find out if sandboxes can have the network `internet`. */
  readonly internet: boolean;
}

/** Whether a tier is weaker than the required one; undefined requires nothing. */
export function isWeakerThan(tier: IsolationTier, required: IsolationTier | undefined): boolean {
  return required !== undefined && isolationTiers.indexOf(tier) > isolationTiers.indexOf(required);
}

/** Refuses to start on a host that provides less isolation than the operator requires. */
export function checkIsolation(tier: IsolationTier, required: IsolationTier | undefined): void {
  if (!isWeakerThan(tier, required)) return;
  throw new OperatorError(
    `This host provides isolation tier "${tier}", but "${required}" is required. Run hob doctor to see what is missing.`,
  );
}

/** Refuses to start where functions cannot have the network that the operator chose: another one would open more. */
export function checkInternet({ noInternet }: Pick<Isolation, 'noInternet'>): void {
  if (noInternet === undefined) return;
  throw new OperatorError(
    `Functions cannot have the network that HOB_FUNCTION_NETWORK=internet gives them: ${noInternet}`,
  );
}

/** Without any isolation, functions run only if the operator allows it explicitly. */
export function refusalToRun(tier: IsolationTier, insecureFunctions: boolean): string | undefined {
  return tier === 'bare' && !insecureFunctions
    ? 'Functions are disabled: this host provides no isolation. Run hob doctor to see what is missing, or pass --insecure-functions.'
    : undefined;
}
