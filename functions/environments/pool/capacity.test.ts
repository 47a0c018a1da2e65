import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Capacity } from './capacity.ts';

const large = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:large';

describe('the capacity for environments', () => {
  const capacity = (environmentsMax: number): Capacity =>
    new Capacity({
      environmentsMax,
      capacityProviders: new Map([[large, { environmentsMax: 1 }]]),
    });

  test('is exhausted on the host until one closes', () => {
    const host = capacity(2);
    host.moved(undefined, undefined, 'starting');
    host.moved(undefined, 'starting', 'idle');
    assert.equal(host.exhausted(undefined), undefined);
    host.moved(undefined, undefined, 'starting');
    assert.equal(host.exhausted(undefined), 'host');
    host.moved(undefined, 'idle', 'closed');
    assert.equal(host.exhausted(undefined), undefined);
  });

  test('of a provider is exhausted before that of the host', () => {
    const host = capacity(2);
    host.moved(large, undefined, 'starting');
    assert.equal(host.exhausted(large), 'provider');
    assert.equal(host.exhausted(undefined), undefined);
    host.moved(undefined, undefined, 'starting');
    assert.equal(host.exhausted('a provider without a limit'), 'host');
    host.moved(large, 'starting', 'closed');
    assert.equal(host.exhausted(large), undefined);
  });

  test('lets four environments start at a time', () => {
    const host = capacity(100);
    for (let count = 0; count < 4; count += 1) {
      assert.ok(host.hasStartSlot);
      host.moved(undefined, undefined, 'starting');
    }
    assert.ok(!host.hasStartSlot);
    host.moved(undefined, 'starting', 'idle');
    assert.ok(host.hasStartSlot);
  });

  test('does not change when an environment works', () => {
    const host = capacity(1);
    host.moved(undefined, undefined, 'starting');
    host.moved(undefined, 'starting', 'idle');
    for (const [from, to] of [
      ['idle', 'busy'],
      ['busy', 'draining'],
      ['draining', 'idle'],
    ] as const) {
      host.moved(undefined, from, to);
      assert.equal(host.exhausted(undefined), 'host');
    }
  });
});
