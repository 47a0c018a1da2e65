import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findMissingCapacity } from './provisioned-capacity.ts';

const capacity = {
  settings: { environmentsMax: 10 },
  configured: { capacityProviders: new Map([['small', { environmentsMax: 4 }]]) },
};

/** Why there is no capacity for each of these, in their order. */
function missing(...shares: readonly (readonly [requested: number, provider?: string])[]) {
  const counted = shares.map(([requested, capacityProvider]) => ({ requested, capacityProvider }));
  const found = findMissingCapacity(capacity, counted);
  return counted.map((share) => found.get(share));
}

describe('provisioned concurrency', () => {
  it('that was requested first has the capacity of the host', () => {
    assert.deepEqual(missing([6], [4], [1]), [undefined, undefined, 'InsufficientCapacity']);
  });

  it('has that of its capacity provider as well', () => {
    const failed = 'CapacityProviderScalingLimitExceeded';
    const shares = [[3, 'small'], [2], [2, 'small'], [1, 'undeclared']] as const;
    assert.deepEqual(missing(...shares), [undefined, undefined, failed, undefined]);
    assert.deepEqual(missing([8], [3, 'small']), [undefined, 'InsufficientCapacity']);
  });
});
