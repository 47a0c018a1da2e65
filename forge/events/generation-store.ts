import type { Sql } from '#platform/database/database.ts';

/**
 * Cached responses are valid for one cache generation: of their network of forks, of the accounts, and of the token that
 * authenticated the request. undefined if the network or the token no longer exists.
 */
export async function cacheGeneration(
  sql: Sql,
  networkId: number,
  tokenSha256: string | undefined,
): Promise<string | undefined> {
  const row = await sql.get<{
    network: number;
    accounts: number;
    token: number | null;
    scopes: string | null;
  }>(
    `select n.version as network, v.version as accounts, t.id as token, t.scopes
     from networks n join versions v on v.name = 'accounts' left join tokens t on t.sha256 = $2
     where n.id = $1`,
    networkId,
    tokenSha256 ?? '',
  );
  if (!row || (tokenSha256 !== undefined && row.token === null)) return undefined;
  return `${row.network}.${row.accounts}.${row.token ?? ''}.${row.scopes ?? ''}`;
}

/** The network of a repository begins a new generation. */
export async function advanceNetwork(sql: Sql, repositoryId: number): Promise<void> {
  await sql.run(
    `update networks set version = version + 1
     where id = (select network_id from repositories where id = $1)`,
    repositoryId,
  );
}

/** Every network that an account owns a repository of begins a new generation. */
export async function advanceNetworksOf(sql: Sql, ownerId: number): Promise<void> {
  await sql.run(
    `update networks set version = version + 1
     where id in (select network_id from repositories where owner_id = $1)`,
    ownerId,
  );
}

/**
 * Changes the row of an account, and nothing in it: of two at the same time PostgreSQL tries one again. Else a change of members could not see a
 * repository that another write is bringing to the organization, and what is cached about it would stay valid.
 */
export async function claimOwner(sql: Sql, ownerId: number): Promise<void> {
  await sql.run('update accounts set updated_at = updated_at where id = $1', ownerId);
}

/** All networks begin a new generation. */
export async function advanceAccounts(sql: Sql): Promise<void> {
  await sql.run(`update versions set version = version + 1 where name = 'accounts'`);
}

/** Which shard a network is created in: by its id, or that of a repository. */
export type ShardOfNetwork = { readonly shardId: number } | { readonly sameAsRepository: number };

/** Creates a network for a repository that does not exist yet, or for one of another network, whose files stay where they are. */
export async function insertNetwork(sql: Sql, shard: ShardOfNetwork): Promise<number> {
  const row = await ('shardId' in shard
    ? sql.get<{ id: number }>(
        // One that was removed meanwhile has no row, nor has the default one, 0, on a server that is alone.
        `insert into networks (version, shard_id)
          select 1, coalesce((select id from git_shards where id = $1), 0) returning id`,
        shard.shardId,
      )
    : sql.get<{ id: number }>(
        `insert into networks (version, shard_id)
          select 1, n.shard_id from repositories r join networks n on n.id = r.network_id
          where r.id = $1 returning id`,
        shard.sameAsRepository,
      ));
  if (!row) throw new Error('insert into networks returned no row');
  return row.id;
}
