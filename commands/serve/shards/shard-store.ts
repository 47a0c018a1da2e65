import { defaultShard } from '#forge/git/process/sharded-git.ts';
import type { Sql } from '#platform/database/database.ts';

/** A folder of repositories that has one owner. */
export interface GitShard {
  readonly id: number;
  readonly name: string;
  /** Undefined: the default one, whose folder is that of the data directory. */
  readonly folder: string | undefined;
  /** What is in the folder, so that a server knows whether it reaches it. */
  readonly folderKey: string | undefined;
  /** Of the nodes that may have it; undefined: all that reach it may. */
  readonly nodeAddresses: readonly string[] | undefined;
  /** Whether new networks of repositories may be created in it. */
  readonly acceptsNew: boolean;
}

export const defaultGitShard: GitShard = {
  id: defaultShard,
  name: 'default',
  folder: undefined,
  folderKey: undefined,
  nodeAddresses: undefined,
  acceptsNew: true,
};

/** Who has it. */
export interface ListedShard extends GitShard {
  /** Empty: no server, yet. */
  readonly serverId: string;
  /** Grows with every server that takes the shard over. */
  readonly term: number;
}

interface ShardRow {
  readonly id: number;
  readonly name: string | null;
  readonly folder: string | null;
  readonly folder_key: string | null;
  readonly node_addresses: string | null;
  readonly accepts_new: number;
  readonly server_id: string;
  readonly term: number;
}

/** Shards of an installation; each has a git process of its own. */
export const shardsMax = 256;

/** All of them, the default one first, which has a row only once a server had it. */
export async function listShards(sql: Sql): Promise<readonly ListedShard[]> {
  const rows = await sql.all<ShardRow>(
    `select id, name, folder, folder_key, node_addresses, accepts_new, server_id, term from git_shards
      order by id limit $1`,
    shardsMax,
  );
  const listed = rows.map(shardFromRow);
  return listed[0]?.id === defaultShard
    ? listed
    : [{ ...defaultGitShard, serverId: '', term: 0 }, ...listed];
}

/**
 * Its owner is chosen among the nodes. The id of a shard that was removed is not given again: a server that has not noticed would create repositories in
 * the folder of the old one.
 */
export async function insertShard(
  sql: Sql,
  { name, folder, folderKey, nodeAddresses, acceptsNew }: Omit<GitShard, 'id'>,
): Promise<number> {
  const last = await sql.get<{ id: number | null }>(
    `select max(id) as id
      from (select id from git_shards union all select version from versions where name = 'shards') given`,
  );
  const id = (last?.id ?? defaultShard) + 1;
  await sql.run(
    `insert into versions (name, version) values ('shards', $1)
      on conflict (name) do update set version = $1`,
    id,
  );
  await sql.run(
    `insert into git_shards (id, server_id, term, name, folder, folder_key, node_addresses, accepts_new)
      values ($1, '', 0, $2, $3, $4, $5, $6)`,
    id,
    name,
    folder ?? null,
    folderKey ?? null,
    nodeAddresses ? JSON.stringify(nodeAddresses) : null,
    acceptsNew ? 1 : 0,
  );
  return id;
}

/** Why a shard cannot be removed. */
export type ShardInUse = 'default' | 'accepts' | 'networks' | 'moves';

/** Undefined: it was removed. */
export async function removeShard(sql: Sql, id: number): Promise<ShardInUse | undefined> {
  if (id === defaultShard) return 'default';
  const shard = await sql.get<{ accepts_new: number }>(
    'select accepts_new from git_shards where id = $1',
    id,
  );
  if (shard?.accepts_new === 1) return 'accepts';
  // Networks outlive their last repository.
  const network = await sql.get(
    `select 1 as found from networks n join repositories r on r.network_id = n.id where n.shard_id = $1 limit 1`,
    id,
  );
  if (network) return 'networks';
  const move = await sql.get(
    `select 1 as found from network_moves where shard_id = $1 or from_shard_id = $1 limit 1`,
    id,
  );
  if (move) return 'moves';
  await sql.run('update networks set shard_id = $2 where shard_id = $1', id, defaultShard);
  await sql.run('delete from git_shards where id = $1', id);
  return undefined;
}

/** Whether new networks may be created in a shard. The default one gets its row. */
export async function setAcceptsNew(sql: Sql, id: number, acceptsNew: boolean): Promise<void> {
  if (id === defaultShard)
    await sql.run(
      `insert into git_shards (id, server_id, term) values ($1, '', 0) on conflict (id) do nothing`,
      id,
    );
  await sql.run('update git_shards set accepts_new = $2 where id = $1', id, acceptsNew ? 1 : 0);
}

/** How many repositories each shard has. */
export async function repositoriesByShard(sql: Sql): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.all<{ shard_id: number; repositories: number }>(
    `select n.shard_id, count(*) as repositories
      from repositories r join networks n on n.id = r.network_id group by n.shard_id`,
  );
  return new Map(rows.map((row) => [row.shard_id, row.repositories]));
}

/** Undefined: there is no such repository. */
export async function shardOfRepository(sql: Sql, id: number): Promise<number | undefined> {
  const row = await sql.get<{ shard_id: number }>(
    'select n.shard_id from repositories r join networks n on n.id = r.network_id where r.id = $1',
    id,
  );
  return row?.shard_id;
}

function shardFromRow(row: ShardRow): ListedShard {
  // Only insertShard writes this column.
  const nodeAddresses: readonly string[] | null = JSON.parse(row.node_addresses ?? 'null');
  return {
    id: row.id,
    name: row.name ?? defaultGitShard.name,
    folder: row.folder ?? undefined,
    folderKey: row.folder_key ?? undefined,
    nodeAddresses: nodeAddresses ?? undefined,
    acceptsNew: row.accepts_new === 1,
    serverId: row.server_id,
    term: row.term,
  };
}
