import { type ListedNode, readNodes } from '../serve/nodes/node-store.ts';
import type { Subcommand } from './subcommand.ts';

/** The nodes of a cluster. */
export const nodeSubcommands: readonly Subcommand[] = [
  {
    name: 'nodes',
    positionals: [],
    options: {},
    usage: '',
    about: 'Lists the nodes of a cluster, and shows which has the repositories.',
    async run({ database }) {
      // Without PostgreSQL there are no nodes, and none of the functions for the time.
      const { nodes } =
        database.engine === 'sqlite' ? { nodes: [] } : await database.read(readNodes);
      return {
        json: nodes.map((node) => ({ ...node, state: stateOf(node) })),
        lines: nodes.length === 0 ? ['This server is no cluster.'] : nodes.map(lineOf),
      };
    },
  },
];

function lineOf(node: ListedNode): string {
  const { serverId, name, address, version, owns, remainingMilliseconds } = node;
  const repositories = owns && remainingMilliseconds > 0 ? ', has the repositories' : '';
  return `${serverId}  ${address}  ${stateOf(node)}${repositories}  ${version}  ${name}`;
}

function stateOf({
  serving,
  remainingMilliseconds,
}: ListedNode): 'serving' | 'not serving' | 'ended' {
  if (remainingMilliseconds <= 0) return 'ended';
  return serving ? 'serving' : 'not serving';
}
