import { defaultShard } from '#forge/git/process/sharded-git.ts';

import type { GitShard, ListedShard } from '../shards/shard-store.ts';
import type { ListedNode } from './node-store.ts';

/** All that a node sees in one poll. */
export interface View {
  readonly self: string;
  /** Those with valid leases. */
  readonly nodes: readonly ListedNode[];
  readonly shards: readonly ListedShard[];
}

/** A shard that a node has too many of, and the node that gets it. */
export interface Excess {
  readonly shard: ListedShard;
  readonly to: ListedNode;
}

/** Whether the node may have the shard: it reaches the folder, and the operator did not name others. */
export function mayHave(
  { address, reaches }: Pick<ListedNode, 'address' | 'reaches'>,
  { id, nodeAddresses }: Pick<GitShard, 'id' | 'nodeAddresses'>,
): boolean {
  if (id === defaultShard) return true;
  return reaches.includes(id) && (nodeAddresses?.includes(address) ?? true);
}

/** Undefined: no living node has it. */
export function ownerOf(
  { nodes }: Pick<View, 'nodes'>,
  { serverId }: Pick<ListedShard, 'serverId'>,
): ListedNode | undefined {
  return nodes.find((node) => node.serverId === serverId);
}

/** Whether another node with fewer shards may have this one, which no node has, and should take it first. */
export function leavesToOther(view: View, shard: ListedShard): boolean {
  const own = countOf(view, view.self);
  return view.nodes.some(
    (node) =>
      node.serverId !== view.self &&
      node.serving &&
      mayHave(node, shard) &&
      countOf(view, node.serverId) < own,
  );
}

/** A shard of this node that another one gets: it has at least two fewer, so that it has no more than this one afterwards. */
export function excessOf(view: View): Excess | undefined {
  const own = view.shards.filter(({ serverId }) => serverId === view.self);
  // The default one last: what the whole cluster shares is worked on where that is.
  for (const shard of own.toReversed()) {
    const [to] = view.nodes
      .filter((node) => node.serverId !== view.self && node.serving && mayHave(node, shard))
      .toSorted((one, other) => countOf(view, one.serverId) - countOf(view, other.serverId));
    if (to && countOf(view, to.serverId) + 2 <= own.length) return { shard, to };
  }
  return undefined;
}

/** How many shards a node has. */
function countOf({ shards }: View, node: string): number {
  return shards.filter(({ serverId }) => serverId === node).length;
}
