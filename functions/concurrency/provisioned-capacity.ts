import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import type { FunctionSettings, SystemPorts } from '../ports/system-ports.ts';
import type { ProvisionedShare } from './concurrency-store.ts';

/** What provisioned concurrency is limited by. */
export interface ProvisionedCapacity extends Pick<SystemPorts, 'settings'> {
  readonly configured: Pick<ConfiguredResources, 'capacityProviders'>;
}

/** What there is no capacity for, in the order of the shares: what is first has the capacity. */
export function findMissingCapacity<Share extends Counted>(
  { settings, configured }: Limits,
  shares: readonly Share[],
): Map<Share, FailureReasonCode> {
  const missing = new Map<Share, FailureReasonCode>();
  const ofProviders = new Map<string, number>();
  let ofHost = 0;
  for (const share of shares) {
    const { capacityProvider: provider, requested } = share;
    ofHost += requested;
    if (ofHost > settings.environmentsMax) missing.set(share, 'InsufficientCapacity');
    if (provider === undefined) continue;
    const ofProvider = (ofProviders.get(provider) ?? 0) + requested;
    ofProviders.set(provider, ofProvider);
    const { environmentsMax = Infinity } = configured.capacityProviders.get(provider) ?? {};
    if (ofProvider > environmentsMax && !missing.has(share)) {
      missing.set(share, 'CapacityProviderScalingLimitExceeded');
    }
  }
  return missing;
}

type Limits = Pick<ProvisionedCapacity, 'configured'> & {
  readonly settings: Pick<FunctionSettings, 'environmentsMax'>;
};

type Counted = Pick<ProvisionedShare, 'capacityProvider' | 'requested'>;
