import { poolKey, type Member, type Pool } from './pool.ts';

/**
 * What was prepared for a function that keeps its tenants apart has run for nobody yet: a tenant without an environment may have
 * it, for good. Undefined when there is none, and for pools of no tenant.
 */
export function unassignedFor(
  { subject }: Pool,
  pools: ReadonlyMap<string, Pool>,
): Member | undefined {
  const { tenantId, ...unassigned } = subject;
  return tenantId === undefined ? undefined : pools.get(poolKey(unassigned))?.seats.at(-1);
}

/** There is no end of tenants: those without an environment are not kept in mind. */
export function forgetTenants(pools: Map<string, Pool>, members: Iterable<Member>): void {
  const alive = new Set([...members].map(({ pool }) => pool));
  for (const [key, pool] of pools) {
    const { subject, starting, waiting } = pool;
    const unused = !alive.has(pool) && starting === 0 && waiting.length === 0;
    if (unused && subject.tenantId !== undefined) pools.delete(key);
  }
}
