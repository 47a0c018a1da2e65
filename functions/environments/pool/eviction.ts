/** Which environments can give up their capacity. */
import type { Exhausted } from './capacity.ts';
import type { PooledEnvironment } from './pooled-environment.ts';

/** Idle, and not of a provisioned concurrency. */
function isEvictable({ state, version }: PooledEnvironment): boolean {
  return state === 'idle' && version.exceedsMinimum;
}

/** Unused since then, and not the last one that represents a snapshot. */
export function isReapable(pooled: PooledEnvironment, since: number): boolean {
  const { spec, environments } = pooled.version;
  const isLastOfSnapshot = spec.fromSnapshot === true && environments.size === 1;
  return !isLastOfSnapshot && isEvictable(pooled) && pooled.lastUsedAt < since;
}

/** The environment whose end makes capacity for another one of this provider: the least recently used. */
export function firstToEvict(
  environments: Iterable<PooledEnvironment>,
  exhausted: Exhausted,
  provider: string | undefined,
): PooledEnvironment | undefined {
  let first: PooledEnvironment | undefined;
  for (const pooled of environments) {
    const isElsewhere = pooled.version.spec.capacityProvider !== provider;
    if (!isEvictable(pooled) || (exhausted === 'provider' && isElsewhere)) continue;
    if (!first || pooled.lastUsedAt < first.lastUsedAt) first = pooled;
  }
  return first;
}

/** False when all capacity belongs to the provisioned concurrency of other functions. */
export function mayBecomeFree(
  environments: Iterable<PooledEnvironment>,
  exhausted: Exhausted | undefined,
  provider: string | undefined,
): boolean {
  for (const { version, state } of environments) {
    const mayEnd = state === 'starting' || version.draining || version.exceedsMinimum;
    const isElsewhere = version.spec.capacityProvider !== provider;
    if (mayEnd && !(exhausted === 'provider' && isElsewhere)) return true;
  }
  return false;
}
