import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { defaultGitShard, type ListedShard } from '../shards/shard-store.ts';
import type { ListedNode } from './node-store.ts';
import { excessOf, leavesToOther, mayHave, type View } from './shard-owners.ts';

const node = (serverId: string, more: Partial<ListedNode> = {}): ListedNode => ({
  serverId,
  name: serverId,
  address: `${serverId}.test:1`,
  version: '1',
  serving: true,
  remainingMilliseconds: 1000,
  owns: [],
  reaches: [1, 2, 3],
  ...more,
});

const shard = (id: number, serverId: string, nodeAddresses?: readonly string[]): ListedShard => ({
  ...defaultGitShard,
  id,
  nodeAddresses,
  serverId,
  term: 1,
});

const view = (nodes: readonly ListedNode[], shards: readonly ListedShard[]): View => ({
  self: 'a',
  nodes,
  shards,
});

describe('a shard', () => {
  it('may be had by nodes that reach its folder, and that the operator named', () => {
    assert.equal(mayHave(node('a'), shard(1, '')), true);
    assert.equal(mayHave(node('a', { reaches: [2] }), shard(1, '')), false);
    assert.equal(mayHave(node('a', { reaches: [] }), shard(0, '')), true, 'the default one');
    assert.equal(mayHave(node('a'), shard(1, '', ['b.test:1'])), false);
    assert.equal(mayHave(node('a'), shard(1, '', ['b.test:1', 'a.test:1'])), true);
  });

  it('that no node has is left to one with fewer, which takes requests and may have it', () => {
    const shards = [shard(0, 'a'), shard(1, '')];
    assert.equal(leavesToOther(view([node('a'), node('b')], shards), shard(1, '')), true);
    const alone = [node('a')];
    assert.equal(leavesToOther(view(alone, shards), shard(1, '')), false);
    for (const other of [node('b', { serving: false }), node('b', { reaches: [] })])
      assert.equal(leavesToOther(view([node('a'), other], shards), shard(1, '')), false);
    const even = [shard(0, 'b'), shard(1, ''), shard(2, 'a')];
    assert.equal(leavesToOther(view([node('a'), node('b')], even), shard(1, '')), false);
  });
});

describe('a node', () => {
  const ids = (found: ReturnType<typeof excessOf>): unknown =>
    found && [found.shard.id, found.to.serverId];

  it('hands a shard to one with two fewer, the default one last', () => {
    const two = [shard(0, 'a'), shard(1, 'a')];
    assert.deepEqual(ids(excessOf(view([node('a'), node('b')], two))), [1, 'b']);
    const one = [shard(0, 'a'), shard(1, 'b')];
    assert.equal(excessOf(view([node('a'), node('b'), node('c')], one)), undefined);
    const uneven = [shard(0, 'a'), shard(1, 'a'), shard(2, 'b')];
    assert.equal(excessOf(view([node('a'), node('b')], uneven)), undefined, 'one more');
    assert.deepEqual(ids(excessOf(view([node('a'), node('b'), node('c')], uneven))), [1, 'c']);
  });

  it('does not hand one to a node that may not have it, or takes no requests', () => {
    const two = [shard(0, 'a'), shard(1, 'a')];
    const named = [shard(0, 'a'), shard(1, 'a', ['a.test:1'])];
    // The default one goes instead.
    assert.deepEqual(ids(excessOf(view([node('a'), node('b')], named))), [0, 'b']);
    assert.equal(excessOf(view([node('a'), node('b', { serving: false })], two)), undefined);
    assert.equal(excessOf(view([node('a')], two)), undefined);
  });

  it('hands over until no node has two more than another, then never again', () => {
    const nodes = [node('a'), node('b'), node('c')];
    let shards = [0, 1, 2, 3].map((id) => shard(id, 'a'));
    for (let moves = 0; ; moves += 1) {
      const excess = ['a', 'b', 'c'].map((self) => excessOf({ self, nodes, shards })).find(Boolean);
      if (!excess) break;
      assert.ok(moves < 4);
      shards = shards.map((each) =>
        each.id === excess.shard.id ? { ...each, serverId: excess.to.serverId } : each,
      );
    }
    assert.deepEqual(
      shards.map(({ serverId }) => serverId),
      ['a', 'a', 'c', 'b'],
    );
  });
});
