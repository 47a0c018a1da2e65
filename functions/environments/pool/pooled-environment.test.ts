import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import type { VersionSpec } from '../version-spec.ts';
import {
  EnvironmentGroup,
  groupKey,
  PooledEnvironment,
  transitions,
  unassignedGroupKey,
} from './pooled-environment.ts';
import { testVersionSpec } from './testing/test-version-spec.ts';

describe('the states of an environment', () => {
  test('are those of the diagram in ARCHITECTURE.md', () => {
    const page = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8');
    const [diagram = ''] = /```mermaid\n[^`]*starting --> idle[^`]*```/.exec(page) ?? [];
    const drawn = [...diagram.matchAll(/^ {2}(\w+) --> (\w+):/gm)].map(
      ([, from, to]) => `${from} ${to}`,
    );
    const coded = Object.entries(transitions).flatMap(([from, targets]) =>
      targets.map((to) => `${from} ${to}`),
    );
    assert.deepEqual(drawn.toSorted(), coded.toSorted());
  });

  test('refuse every other transition', () => {
    const group = new EnvironmentGroup(testVersionSpec(1));
    const closed = new PooledEnvironment(group);
    closed.enter('closed', 0);
    for (const state of ['starting', 'idle', 'busy', 'draining', 'closed'] as const) {
      assert.throws(() => closed.enter(state, 0), /cannot become/);
    }
    const starting = new PooledEnvironment(group);
    assert.throws(() => starting.enter('busy', 1), /cannot become busy: it is starting/);
  });
});

describe('a group of environments', () => {
  const spec: VersionSpec = { ...testVersionSpec(1), concurrency: 2 };

  test('offers a free slot of the one that was used last', () => {
    const group = new EnvironmentGroup(spec);
    const [first, second] = [new PooledEnvironment(group), new PooledEnvironment(group)];
    group.add(first);
    group.add(second);
    assert.equal(group.starting, 2);
    assert.equal(group.available, undefined, 'a starting one has no free slot');
    for (const pooled of [first, second]) {
      pooled.enter('idle', 0);
      group.refresh(pooled);
    }
    assert.equal(group.available, second);
    second.enter('busy', 1);
    group.refresh(second);
    assert.equal(group.available, second, 'it has another slot');
    second.enter('busy', 2);
    group.refresh(second);
    assert.equal(group.available, first);
    group.remove(first);
    assert.equal(group.available, undefined);
  });

  test('retains its provisioned concurrency', () => {
    const group = new EnvironmentGroup(spec);
    assert.ok(group.isEmpty);
    group.minimum = 1;
    assert.ok(!group.isEmpty);
    group.add(new PooledEnvironment(group));
    assert.ok(!group.exceedsMinimum, 'one that starts does not count');
    group.starting = 0;
    assert.ok(!group.exceedsMinimum);
    group.add(new PooledEnvironment(group));
    group.starting = 0;
    assert.ok(group.exceedsMinimum);
  });

  test('is of one configuration and one tenant', () => {
    const blue = { ...spec, tenantId: 'blue' };
    assert.notEqual(groupKey(blue), groupKey(spec));
    assert.notEqual(groupKey({ ...spec, configurationId: 99 }), groupKey(spec));
    assert.equal(unassignedGroupKey(blue), groupKey(spec));
    assert.equal(unassignedGroupKey(spec), undefined);
  });
});
