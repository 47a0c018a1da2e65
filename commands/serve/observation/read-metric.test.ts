import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Registry } from 'prom-client';

import { counter, gauge } from './read-metric.ts';

for (const [kind, add] of Object.entries({ counter, gauge })) {
  it(`a ${kind} with a label has only the values that it is read with`, async () => {
    const registry = new Registry();
    let read: readonly (readonly [string, number])[] = [
      ['kept', 1],
      ['removed', 1],
    ];
    add(registry, { name: 'listed', help: 'Listed', label: 'name', read: () => read });
    const lines = async (): Promise<readonly string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('listed'));
    assert.deepEqual(await lines(), ['listed{name="kept"} 1', 'listed{name="removed"} 1']);
    read = [['kept', 2]];
    assert.deepEqual(await lines(), ['listed{name="kept"} 2']);
  });
}
