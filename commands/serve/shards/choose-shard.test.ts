import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chooseShard } from './choose-shard.ts';
import type { ShardGit } from './git-shards.ts';

describe('the shard of a new network', () => {
  const away = new Set<number>();
  const unknown = new Set<number>();
  const statistics = (id: number) => () => ({
    callsInProgress: 0,
    restarts: 0,
    isAvailable: !away.has(id),
  });
  const shards = {
    of: (id: number): Pick<ShardGit, 'statistics'> | undefined =>
      unknown.has(id) ? undefined : { statistics: statistics(id) },
  };
  const choices = (listed: readonly (readonly [number, boolean])[]): readonly number[] => {
    const choose = chooseShard(shards, () =>
      listed.map(([id, acceptsNew]) => ({ id, acceptsNew })),
    );
    return Array.from({ length: 6 }, choose).toSorted();
  };

  it('is the next one that accepts new ones', () => {
    assert.deepEqual(choices([[0, true]]), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(choices([]), [0, 0, 0, 0, 0, 0]);
    const three = [[0, true] as const, [1, true] as const, [4, true] as const];
    assert.deepEqual(choices(three), [0, 0, 1, 1, 4, 4]);
    assert.deepEqual(
      choices([
        [0, false],
        [1, true],
        [4, true],
      ]),
      [1, 1, 1, 4, 4, 4],
    );
  });

  it('is none without a server, or that this server does not know yet, while there are others', () => {
    away.add(1);
    const two = [[0, true] as const, [1, true] as const];
    assert.deepEqual(choices(two), [0, 0, 0, 0, 0, 0]);
    away.add(0);
    assert.deepEqual(choices(two), [0, 0, 0, 1, 1, 1]);
    unknown.add(1);
    assert.deepEqual(choices(two), [0, 0, 0, 0, 0, 0]);
  });

  it('is the default one where none accepts new ones', () => {
    assert.deepEqual(
      choices([
        [0, false],
        [1, false],
      ]),
      [0, 0, 0, 0, 0, 0],
    );
  });
});
