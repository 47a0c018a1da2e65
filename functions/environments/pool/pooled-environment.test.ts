import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import type { VersionSpec } from '../version-spec.ts';
import {
  VersionEnvironments,
  versionKey,
  PooledEnvironment,
  transitions,
  keyWithoutTenant,
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
    const version = new VersionEnvironments(testVersionSpec(1));
    const closed = new PooledEnvironment(version);
    closed.enter('closed', 0);
    for (const state of ['starting', 'idle', 'busy', 'draining', 'closed'] as const) {
      assert.throws(() => closed.enter(state, 0), /cannot become/);
    }
    const starting = new PooledEnvironment(version);
    assert.throws(() => starting.enter('busy', 1), /cannot become busy: it is starting/);
  });
});

describe('the environments of a version', () => {
  const spec: VersionSpec = { ...testVersionSpec(1), concurrency: 2 };

  test('offers a free slot of the one that was used last', () => {
    const version = new VersionEnvironments(spec);
    const [first, second] = [new PooledEnvironment(version), new PooledEnvironment(version)];
    version.add(first);
    version.add(second);
    assert.equal(version.starting, 2);
    assert.equal(version.available, undefined, 'a starting one has no free slot');
    for (const pooled of [first, second]) {
      pooled.enter('idle', 0);
      version.refresh(pooled);
    }
    assert.equal(version.available, second);
    second.enter('busy', 1);
    version.refresh(second);
    assert.equal(version.available, second, 'it has another slot');
    second.enter('busy', 2);
    version.refresh(second);
    assert.equal(version.available, first);
    version.remove(first);
    assert.equal(version.available, undefined);
  });

  test('retains its provisioned concurrency', () => {
    const version = new VersionEnvironments(spec);
    assert.ok(version.isEmpty);
    version.minimum = 1;
    assert.ok(!version.isEmpty);
    version.add(new PooledEnvironment(version));
    assert.ok(!version.exceedsMinimum, 'one that starts does not count');
    version.starting = 0;
    assert.ok(!version.exceedsMinimum);
    version.add(new PooledEnvironment(version));
    version.starting = 0;
    assert.ok(version.exceedsMinimum);
  });

  test('is of one configuration and one tenant', () => {
    const blue = { ...spec, tenantId: 'blue' };
    assert.notEqual(versionKey(blue), versionKey(spec));
    assert.notEqual(versionKey({ ...spec, configurationId: 99 }), versionKey(spec));
    assert.equal(keyWithoutTenant(blue), versionKey(spec));
    assert.equal(keyWithoutTenant(spec), undefined);
  });
});
