/** Which environments can give up their capacity. */
import type { Exhausted } from './capacity.ts';
import type { PooledEnvironment } from './pooled-environment.ts';

/** Idle, and not of a provisioned concurrency. */
export function isEvictable({ state, group }: PooledEnvironment): boolean {
  return state === 'idle' && group.exceedsMinimum;
}

/** The least recently used environment whose end makes capacity for another one of this provider. */
export function leastRecentlyUsed(
  environments: Iterable<PooledEnvironment>,
  exhausted: Exhausted,
  provider: string | undefined,
): PooledEnvironment | undefined {
  let oldest: PooledEnvironment | undefined;
  for (const pooled of environments) {
    const isElsewhere = pooled.group.spec.capacityProvider !== provider;
    if (!isEvictable(pooled) || (exhausted === 'provider' && isElsewhere)) continue;
    if (!oldest || pooled.lastUsedAt < oldest.lastUsedAt) oldest = pooled;
  }
  return oldest;
}

/** False when all capacity belongs to the provisioned concurrency of other functions. */
export function mayBecomeFree(
  environments: Iterable<PooledEnvironment>,
  exhausted: Exhausted | undefined,
  provider: string | undefined,
): boolean {
  for (const { group, state } of environments) {
    const mayEnd = state === 'starting' || group.draining || group.exceedsMinimum;
    const isElsewhere = group.spec.capacityProvider !== provider;
    if (mayEnd && !(exhausted === 'provider' && isElsewhere)) return true;
  }
  return false;
}
