import { defaultShard } from '#forge/git/process/sharded-git.ts';
import type { Database } from '#platform/database/database.ts';

import { type ListedNode, readNodes } from '../serve/nodes/node-store.ts';
import { type GitShard, type ListedShard, listShards } from '../serve/shards/shard-store.ts';
import type { Subcommand } from './subcommand.ts';

/** The nodes of a cluster. */
export const nodeSubcommands: readonly Subcommand[] = [
  {
    name: 'nodes',
    positionals: [],
    options: {},
    usage: '',
    description: 'Lists the nodes of a cluster, and shows which has which shards of repositories.',
    async run({ database }) {
      const { nodes, shards } = await readCluster(database);
      return {
        json: nodes.map((node) => ({
          ...node,
          owns: node.owns.includes(defaultShard),
          shards: namesOf(node.owns, shards),
          reaches: namesOf([defaultShard, ...node.reaches], shards),
          state: stateOf(node),
        })),
        lines:
          nodes.length === 0
            ? ['This server is no cluster.']
            : nodes.map((node) => lineOf(node, shards)),
      };
    },
  },
];

/** Without PostgreSQL there are no nodes, and none of the functions for the time. */
export async function readCluster(database: Database): Promise<{
  readonly nodes: readonly ListedNode[];
  readonly shards: readonly ListedShard[];
}> {
  return database.read(async (sql) => {
    const shards = await listShards(sql);
    const nodes = database.engine === 'sqlite' ? [] : await readNodes(sql, shards);
    return { nodes, shards };
  });
}

function lineOf(node: ListedNode, shards: readonly ListedShard[]): string {
  const { serverId, name, address, version, owns, remainingMilliseconds } = node;
  return `${serverId}  ${address}  ${stateOf(node)}${ownership()}  ${version}  ${name}`;

  function ownership(): string {
    if (owns.length === 0 || remainingMilliseconds <= 0) return '';
    if (shards.length === 1) return ', has the repositories';
    return `, has the repositories of ${namesOf(owns, shards).join(', ')}`;
  }
}

function namesOf(ids: readonly number[], shards: readonly GitShard[]): readonly string[] {
  return shards.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
}

function stateOf({
  serving,
  remainingMilliseconds,
}: ListedNode): 'serving' | 'not serving' | 'ended' {
  if (remainingMilliseconds <= 0) return 'ended';
  return serving ? 'serving' : 'not serving';
}
