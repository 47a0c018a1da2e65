import type { Sql } from '#platform/database/database.ts';
import { defaultShard } from '#forge/git/process/sharded-git.ts';

/**
 * `requested`: nothing has started. `copying`: an attempt is under way, and its network is where it was. `switched`: the network is in its new shard,
 * and both ends are yet to follow. `failed`: nothing is left of the attempts.
 */
export type MoveState = 'requested' | 'copying' | 'switched' | 'failed';

export interface NetworkMove {
  readonly networkId: number;
  readonly fromShardId: number;
  readonly shardId: number;
  readonly state: MoveState;
  readonly token: string | undefined;
  readonly attempts: number;
  /** Those that were switched. */
  readonly repositoryIds: readonly number[];
  readonly step: string | undefined;
  readonly copiedBytes: number;
  readonly problem: string | undefined;
}

interface MoveRow {
  readonly network_id: number;
  readonly from_shard_id: number;
  readonly shard_id: number;
  readonly state: MoveState;
  readonly token: string | null;
  readonly attempts: number;
  readonly repository_ids: string | null;
  readonly step: string | null;
  readonly copied_bytes: number;
  readonly problem: string | null;
}

const columns =
  'network_id, from_shard_id, shard_id, state, token, attempts, repository_ids, step, copied_bytes, problem';

/** Unfinished moves that a server reads together. */
const listedMax = 100;

/** All that are not finished, the oldest first. */
export async function unfinishedMoves(sql: Sql): Promise<readonly NetworkMove[]> {
  const rows = await sql.all<MoveRow>(
    `select ${columns} from network_moves where state <> 'failed' order by requested_at, network_id limit $1`,
    listedMax,
  );
  return rows.map(moveFromRow);
}

/** Of attempts that may still be switched, or were. */
export async function tokensOfMoves(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ token: string }>(
    'select token from network_moves where token is not null',
  );
  return new Set(rows.map(({ token }) => token));
}

export async function findMove(sql: Sql, networkId: number): Promise<NetworkMove | undefined> {
  const row = await sql.get<MoveRow>(
    `select ${columns} from network_moves where network_id = $1`,
    networkId,
  );
  return row && moveFromRow(row);
}

/** False: the network is being moved already, or is in that shard. One that failed is replaced. */
export async function requestMove(
  sql: Sql,
  move: { networkId: number; shardId: number; now: number },
): Promise<boolean> {
  await sql.run(
    `delete from network_moves where network_id = $1 and state = 'failed'`,
    move.networkId,
  );
  const inserted = await sql.run(
    `insert into network_moves (network_id, from_shard_id, shard_id, state, requested_at)
      select id, shard_id, $2, 'requested', $3 from networks where id = $1 and shard_id <> $2
      on conflict (network_id) do nothing`,
    move.networkId,
    move.shardId,
    move.now,
  );
  return inserted > 0;
}

/** False: it was cancelled, or another server has it. */
export async function claimMove(sql: Sql, networkId: number, token: string): Promise<boolean> {
  const claimed = await sql.run(
    `update network_moves set state = 'copying', token = $2, attempts = attempts + 1, copied_bytes = 0, step = null
      where network_id = $1 and state = 'requested'`,
    networkId,
    token,
  );
  return claimed > 0;
}

/** For the operator to see. */
export async function noteProgress(
  sql: Sql,
  {
    networkId,
    token,
    step,
    bytes,
  }: { networkId: number; token: string; step: string; bytes: number },
): Promise<void> {
  await sql.run(
    'update network_moves set step = $3, copied_bytes = $4 where network_id = $1 and token = $2',
    networkId,
    token,
    step,
    bytes,
  );
}

/**
 * Ends an attempt before its network was switched. False: it was switched, also where the server that did so does not know it, or the attempt is
 * another's. What is held back for it may be released only then.
 */
export async function releaseMove(
  sql: Sql,
  {
    networkId,
    token,
    state,
    problem,
  }: {
    networkId: number;
    token: string;
    state: 'requested' | 'failed';
    problem: string | undefined;
  },
): Promise<boolean> {
  const released = await sql.run(
    `update network_moves set state = $3, problem = coalesce($4, problem), token = null
      where network_id = $1 and token = $2 and state = 'copying'`,
    networkId,
    token,
    state,
    problem ?? null,
  );
  return released > 0;
}

export interface RepositoryOfNetwork {
  readonly id: number;
  readonly isReady: boolean;
}

export async function repositoriesOfNetwork(
  sql: Sql,
  networkId: number,
): Promise<readonly RepositoryOfNetwork[]> {
  const rows = await sql.all<{ id: number; state: string }>(
    'select id, state from repositories where network_id = $1 order by id',
    networkId,
  );
  return rows.map(({ id, state }) => ({ id, isReady: state === 'ready' }));
}

/**
 * The network is in its new shard from now on, if it has exactly these repositories, and the attempt is still its own. All cached responses begin
 * anew, and backups read it again.
 */
export async function switchNetwork(
  sql: Sql,
  { networkId, fromShardId, shardId }: NetworkMove,
  token: string,
  ids: readonly number[],
): Promise<boolean> {
  const repositories = await repositoriesOfNetwork(sql, networkId);
  if (repositories.some(({ isReady }) => !isReady)) return false;
  if (repositories.map(({ id }) => id).join() !== ids.join()) return false;
  if (shardId !== defaultShard) {
    const shard = await sql.get('select 1 as found from git_shards where id = $1', shardId);
    if (!shard) return false;
  }
  const moved = await sql.run(
    `update network_moves set state = 'switched', repository_ids = $3
      where network_id = $1 and token = $2 and state = 'copying'`,
    networkId,
    token,
    JSON.stringify(ids),
  );
  if (moved === 0) return false;
  const switched = await sql.run(
    'update networks set shard_id = $2, version = version + 1 where id = $1 and shard_id = $3',
    networkId,
    shardId,
    fromShardId,
  );
  if (switched === 0) throw new Error(`network ${networkId} is not in shard ${fromShardId}`);
  return true;
}

/** Both ends have followed. */
export async function endMove(sql: Sql, networkId: number, token: string): Promise<void> {
  await sql.run(
    `delete from network_moves where network_id = $1 and token = $2 and state = 'switched'`,
    networkId,
    token,
  );
}

function moveFromRow(row: MoveRow): NetworkMove {
  // Only switchNetwork writes this column.
  const repositoryIds: readonly number[] = JSON.parse(row.repository_ids ?? '[]');
  return {
    networkId: row.network_id,
    fromShardId: row.from_shard_id,
    shardId: row.shard_id,
    state: row.state,
    token: row.token ?? undefined,
    attempts: row.attempts,
    repositoryIds,
    step: row.step ?? undefined,
    copiedBytes: row.copied_bytes,
    problem: row.problem ?? undefined,
  };
}
