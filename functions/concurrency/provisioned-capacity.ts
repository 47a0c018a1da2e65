import type { Sql } from '#platform/database/database.ts';
import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { VersionSpec } from '../environments/version-spec.ts';
import { findVersionSpec } from '../invocation/invocation-store.ts';
import { findTarget } from '../invocation/targets.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { provisionedUpTo, type Provisioned } from './concurrency-store.ts';

/** What provisioned concurrency is limited by. */
export interface ProvisionedCapacity extends Pick<SystemPorts, 'settings'> {
  readonly configured: Pick<ConfiguredResources, 'capacityProviders'>;
}

/**
 * Why there is no capacity for what is provisioned, next to what was before it; undefined: there is. The maximum of the host, or that of
 * a capacity provider, may have been larger when it was accepted, and an alias may lead to a version with another capacity provider now.
 */
export async function missingCapacity(
  sql: Sql,
  { settings, configured }: ProvisionedCapacity,
  { capacityProvider }: VersionSpec,
  { id }: Provisioned,
): Promise<FailureReasonCode | undefined> {
  const all = await provisionedUpTo(sql, id);
  const sum = (of: typeof all): number => of.reduce((total, each) => total + each.requested, 0);
  if (sum(all) > settings.environmentsMax) return 'InsufficientCapacity';
  if (capacityProvider === undefined) return undefined;
  const limit = configured.capacityProviders.get(capacityProvider);
  if (!limit) return undefined;
  const ofProvider: (typeof all)[number][] = [];
  for (const each of all) {
    const usual = (await findTarget(sql, each))?.usual;
    const spec =
      usual?.activeId === undefined
        ? undefined
        : await findVersionSpec(sql, usual.versionId, usual.activeId);
    if (spec?.capacityProvider === capacityProvider) ofProvider.push(each);
  }
  return sum(ofProvider) > limit.environmentsMax
    ? 'CapacityProviderScalingLimitExceeded'
    : undefined;
}
