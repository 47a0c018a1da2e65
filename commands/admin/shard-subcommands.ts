import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { readVersion } from '../../program-files.ts';
import { createShardFolder } from '../serve/shards/shard-folder.ts';
import {
  type GitShard,
  insertShard,
  type ListedShard,
  listShards,
  removeShard,
  repositoriesByShard,
  setAcceptsNew,
  type ShardInUse,
  shardsMax,
} from '../serve/shards/shard-store.ts';
import type { CommandPorts } from './administration.ts';
import { readCluster } from './node-subcommands.ts';
import type { ParsedArgs, Result, Subcommand } from './subcommand.ts';

/** Folders of repositories, each of which has one owner. */
export const shardSubcommands: readonly Subcommand[] = [
  {
    name: 'add-shard',
    positionals: ['NAME'],
    options: {
      folder: { type: 'string' },
      nodes: { type: 'string' },
      'new-repositories': { type: 'string' },
    },
    usage: '--folder FOLDER [--nodes HOST:PORT,…] [--new-repositories on|off]',
    description:
      'Adds a shard, a folder for repositories. The folder must be new or empty, on storage that this machine reaches. --nodes lists the nodes that may own the shard, by their --node-address; without it, every node that reaches the folder may. Networks of repositories are created in the shards in turn, unless --new-repositories is off.',
    async run(ports, given) {
      const name = nameIn(given);
      const folder = given.option('folder');
      if (folder === undefined) throw new OperatorError('--folder FOLDER is missing.');
      const nodeAddresses = addressesIn(given);
      const acceptsNew = switchIn(given) ?? true;
      const { nodes, shards } = await readCluster(ports.database);
      const strange = nodes.find(({ version }) => version !== readVersion());
      if (strange) {
        throw new OperatorError(
          `The node ${strange.name} runs Hob ${strange.version}, this is ${readVersion()}. Upgrade all nodes first: older ones do not know shards.`,
        );
      }
      if (shards.some((shard) => shard.name === name)) throw nameTaken(name);
      if (shards.length >= shardsMax)
        throw new OperatorError(`There are ${shardsMax} shards, which is the maximum.`);
      const folderKey = ports.random.id();
      await createShardFolder(folder, folderKey, {
        data: ports.dataDirectory,
        others: shards.flatMap((shard) => shard.folder ?? []),
      });
      const shard = { name, folder, folderKey, nodeAddresses, acceptsNew };
      const id = await insert(ports, shard);
      return {
        json: { id, name, folder, nodes: nodeAddresses ?? null },
        lines: [
          `Added shard ${name}. Nodes of a cluster use it at once; restart a server that runs alone.`,
        ],
      };
    },
  },
  {
    name: 'update-shard',
    positionals: ['NAME'],
    options: { 'new-repositories': { type: 'string' } },
    usage: '--new-repositories on|off',
    description:
      'Sets whether new networks of repositories are created in a shard. Forks are always created in the shard of their parent.',
    async run({ database }, given): Promise<Result> {
      const acceptsNew = switchIn(given);
      if (acceptsNew === undefined) throw new OperatorError('--new-repositories is missing.');
      const { name, id } = await shardNamed(database, given.positional('NAME'));
      await database.write((sql) => setAcceptsNew(sql, id, acceptsNew));
      return {
        json: { name, acceptsNew },
        lines: [
          `New repositories ${acceptsNew ? 'can be' : 'are not'} created in shard ${name}. Nodes of a cluster apply this within a second; restart a server that runs alone.`,
        ],
      };
    },
  },
  {
    name: 'remove-shard',
    positionals: ['NAME'],
    options: {},
    usage: '',
    description:
      'Removes a shard without repositories. Its folder remains. First run update-shard with --new-repositories off, and move its networks to other shards.',
    async run({ database }, given): Promise<Result> {
      const shard = await shardNamed(database, given.positional('NAME'));
      const problem = await database.write((sql) => removeShard(sql, shard.id));
      if (problem !== undefined) throw new OperatorError(refusals[problem](shard.name));
      return {
        json: { name: shard.name },
        lines: [`Removed shard ${shard.name}. Delete its folder ${shard.folder ?? ''}.`],
      };
    },
  },
  {
    name: 'list-shards',
    positionals: [],
    options: {},
    usage: '',
    description: 'Lists the shards with their folders, repositories and owners.',
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
          acceptsNew: shard.acceptsNew,
          owner: owner ? { serverId: owner.serverId, name: owner.name } : null,
        };
      });
      return {
        json: listed,
        lines: listed.map(
          ({ name, folder, repositories: count, acceptsNew, owner }) =>
            `${name}  ${folder ?? 'in the data directory'}  ${count} repositories${acceptsNew ? '' : ', accepts no new ones'}${owner ? `  ${owner.name}` : ''}`,
        ),
      };
    },
  },
];

/** As the folder was made for it, it stays: a second attempt needs another one. */
async function insert(
  { database }: Pick<CommandPorts, 'database'>,
  shard: Omit<GitShard, 'id'>,
): Promise<number> {
  try {
    return await database.write((sql) => insertShard(sql, shard));
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    throw nameTaken(shard.name);
  }
}

/** One of those that there are. */
export async function shardNamed(
  database: CommandPorts['database'],
  name: string,
): Promise<ListedShard> {
  const shards = await database.read(listShards);
  const shard = shards.find((each) => each.name === name);
  if (shard) return shard;
  throw new OperatorError(
    `There is no shard ${JSON.stringify(name)}. There are: ${shards.map((each) => each.name).join(', ')}.`,
  );
}

function switchIn(given: ParsedArgs): boolean | undefined {
  const text = given.option('new-repositories');
  if (text === undefined) return undefined;
  if (text === 'on' || text === 'off') return text === 'on';
  throw new OperatorError('--new-repositories is on or off.');
}

const refusals: Readonly<Record<ShardInUse, (name: string) => string>> = {
  default: () => 'The default shard cannot be removed.',
  accepts: (name) =>
    `New repositories are created in shard ${name}. First run: hob admin update-shard ${name} --new-repositories off`,
  networks: (name) =>
    `There are repositories in shard ${name}. Move them first: hob admin move-network OWNER/REPO SHARD`,
  moves: (name) =>
    `Repositories are being moved from or to shard ${name}. Wait until that is done.`,
};

function nameTaken(name: string): OperatorError {
  return new OperatorError(`Shard ${name} already exists. Choose another name.`);
}

function nameIn(given: ParsedArgs): string {
  const name = given.positional('NAME');
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) return name;
  throw new OperatorError(
    'The name of a shard has up to 63 lowercase letters, digits and hyphens, and begins with no hyphen.',
  );
}

function addressesIn(given: ParsedArgs): readonly string[] | undefined {
  const text = given.option('nodes');
  if (text === undefined) return undefined;
  const addresses = text.split(',').map((address) => address.trim());
  if (addresses.every((address) => /^\S+:\d{1,5}$/.test(address))) return addresses;
  throw new OperatorError('--nodes is a list of addresses as of --node-address: HOST:PORT,….');
}
