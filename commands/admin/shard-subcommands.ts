import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { readVersion } from '../../program-files.ts';
import { createShardFolder } from '../serve/shards/shard-folder.ts';
import {
  insertShard,
  type ListedShard,
  repositoriesByShard,
  shardsMax,
} from '../serve/shards/shard-store.ts';
import type { CommandPorts } from './administration.ts';
import { readCluster } from './node-subcommands.ts';
import type { Given, Subcommand } from './subcommand.ts';

/** Folders of repositories, each of which has one owner. */
export const shardSubcommands: readonly Subcommand[] = [
  {
    name: 'add-shard',
    positionals: ['NAME'],
    options: { folder: { type: 'string' }, nodes: { type: 'string' } },
    usage: '--folder FOLDER [--nodes HOST:PORT,…]',
    about:
      'Adds a folder to which networks of repositories can be moved. It is empty or new, and this machine reaches it. Nodes are named by their --node-address; without --nodes, every node that reaches the folder may have the shard.',
    async run(ports, given) {
      const name = nameIn(given);
      const folder = given.option('folder');
      if (folder === undefined) throw new OperatorError('--folder FOLDER is missing.');
      const nodeAddresses = addressesIn(given);
      const { nodes, shards } = await readCluster(ports.database);
      const strange = nodes.find(({ version }) => version !== readVersion());
      if (strange) {
        throw new OperatorError(
          `The node ${strange.name} runs Hob ${strange.version}, this is ${readVersion()}. Upgrade all nodes first: older ones do not know shards.`,
        );
      }
      if (shards.some((shard) => shard.name === name)) throw nameTaken(name);
      if (shards.length >= shardsMax) throw new OperatorError(`There are ${shardsMax} shards.`);
      const folderKey = ports.random.id();
      await createShardFolder(folder, folderKey, ports.dataDirectory);
      const shard = { name, folder, folderKey, nodeAddresses };
      const id = await insert(ports, shard);
      return {
        json: { id, name, folder, nodes: nodeAddresses ?? null },
        lines: [
          `Added shard ${name}. Nodes of a cluster use it at once, a server that is alone from its next start on.`,
        ],
      };
    },
  },
  {
    name: 'list-shards',
    positionals: [],
    options: {},
    usage: '',
    about:
      'Lists the shards with their folders, their repositories and the servers that have them.',
    async run({ database }) {
      const { nodes, shards } = await readCluster(database);
      const repositories = await database.read(repositoriesByShard);
      const listed = shards.map((shard) => {
        const owner = nodes.find(
          ({ serverId, remainingMilliseconds }) =>
            serverId === shard.serverId && remainingMilliseconds > 0,
        );
        return {
          name: shard.name,
          folder: shard.folder ?? null,
          nodes: shard.nodeAddresses ?? null,
          repositories: repositories.get(shard.id) ?? 0,
          owner: owner ? { serverId: owner.serverId, name: owner.name } : null,
        };
      });
      return {
        json: listed,
        lines: listed.map(
          ({ name, folder, repositories: count, owner }) =>
            `${name}  ${folder ?? 'in the data directory'}  ${count} repositories${owner ? `  ${owner.name}` : ''}`,
        ),
      };
    },
  },
];

/** As the folder was made for it, it stays: a second attempt needs another one. */
async function insert(
  { database }: Pick<CommandPorts, 'database'>,
  shard: Pick<ListedShard, 'name' | 'folder' | 'folderKey' | 'nodeAddresses'>,
): Promise<number> {
  try {
    return await database.write((sql) => insertShard(sql, shard));
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    throw nameTaken(shard.name);
  }
}

function nameTaken(name: string): OperatorError {
  return new OperatorError(`There is a shard ${name}. Choose another name.`);
}

function nameIn(given: Given): string {
  const name = given.positional('NAME');
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) return name;
  throw new OperatorError(
    'The name of a shard has up to 63 lowercase letters, digits and hyphens, and begins with no hyphen.',
  );
}

function addressesIn(given: Given): readonly string[] | undefined {
  const text = given.option('nodes');
  if (text === undefined) return undefined;
  const addresses = text.split(',').map((address) => address.trim());
  if (addresses.every((address) => /^\S+:\d{1,5}$/.test(address))) return addresses;
  throw new OperatorError('--nodes is a list of addresses as of --node-address: HOST:PORT,….');
}
