import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { caseless } from '../model/account.ts';
import type { RepositoryUpdate } from '../model/repository.ts';
import { updateRepository } from './repository-store.ts';

export interface NewRepositoryRow {
  readonly ownerId: number;
  readonly name: string;
  readonly description: string | null;
  readonly homepage: string | null;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly networkId: number;
  /** Of a fork, which is in the network of its parent. */
  readonly parentId?: number;
  /** That it is made from. */
  readonly templateId?: number | undefined;
  readonly settings?: RepositoryUpdate;
  readonly now: number;
  /** That creates it. */
  readonly serverId?: string;
}

/** Inserts a repository in state `creating`. Fails with a unique violation when the owner has one of that name. */
export async function insertRepository(
  sql: RepositoryWrite,
  repository: NewRepositoryRow,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into repositories
       (network_id, owner_id, name, name_key, parent_id, state, description, homepage, private, default_branch,
        created_at, updated_at, life_server_id, template_id)
     values ($1, $2, $3, $4, $5, 'creating', $6, $7, $8, $9, $10, $10, $11,
       (select t.id from repositories t where t.id = $12)) returning id`,
    repository.networkId,
    repository.ownerId,
    repository.name,
    caseless(repository.name),
    repository.parentId ?? null,
    repository.description,
    repository.homepage,
    repository.private ? 1 : 0,
    repository.defaultBranch,
    repository.now,
    repository.serverId ?? null,
    // It may have been deleted meanwhile.
    repository.templateId ?? 0,
  );
  if (!row) throw new Error('insert into repositories returned no row');
  await sql.run(
    `delete from repository_redirects where owner_id = $1 and name_key = $2`,
    repository.ownerId,
    caseless(repository.name),
  );
  await subscribeOwner(sql, row.id, repository.now);
  if (repository.settings) await updateRepository(sql, row.id, repository.settings, repository.now);
  return row.id;
}

/** Users watch the repositories that they own until they stop it. */
export async function subscribeOwner(
  sql: RepositoryWrite,
  repositoryId: number,
  now: number,
): Promise<void> {
  const added = await sql.run(
    `insert into repository_subscriptions (account_id, repository_id, created_at)
     select a.id, r.id, cast($2 as bigint) from repositories r join accounts a on a.id = r.owner_id
     where r.id = $1 and a.kind = 'user'
     on conflict (account_id, repository_id) do nothing`,
    repositoryId,
    now,
  );
  if (added === 0) return;
  // Counting anew would read what others insert, and PostgreSQL would refuse to serialize one of two who create repositories.
  await sql.run(
    `update repositories set subscribers = subscribers + $2 where id = $1`,
    repositoryId,
    added,
  );
}

/** Makes a repository visible, after git has created it. Refused where another server removes it as that of a dead one. */
export async function markReady(sql: RepositoryWrite, repositoryId: number): Promise<void> {
  const marked = await sql.run(
    `update repositories set state = 'ready', life_server_id = null where id = $1 and state = 'creating'`,
    repositoryId,
  );
  if (marked === 0) refuseTaken();
}

/** Another server has removed what this one was creating. */
export function refuseTaken(): never {
  refuse({ kind: 'unavailable', message: 'The repository was not created. Try again.' });
}

export type Unready = 'creating' | 'deleting';

/** Deletes a repository's row with all dependent rows. */
export async function deleteRepositoryRow(
  sql: RepositoryWrite,
  repositoryId: number,
): Promise<void> {
  await sql.run(`delete from repositories where id = $1`, repositoryId);
}

/**
 * Hides a repository before git removes it. Frees its name by replacing it with one that begins with a colon, which no
 * repository can have.
 */
export async function markDeleting(
  sql: RepositoryWrite,
  repositoryId: number,
  serverId?: string,
): Promise<void> {
  await sql.run(
    `update repositories set state = 'deleting', name_key = $2, life_server_id = $3 where id = $1`,
    repositoryId,
    `:${repositoryId}`,
    serverId ?? null,
  );
  await sql.run(`delete from repository_redirects where repository_id = $1`, repositoryId);
}

/** Hides what a server that died was creating or deleting, and takes it over. False: it is ready after all, or gone. */
export async function takeUnready(
  sql: RepositoryWrite,
  repositoryId: number,
  serverId: string,
): Promise<boolean> {
  const unready = await sql.get(
    `select 1 as found from repositories where id = $1 and state <> 'ready'`,
    repositoryId,
  );
  if (unready) await markDeleting(sql, repositoryId, serverId);
  return unready !== undefined;
}

/** Hides a repository that could not be created, and says how it was; undefined: it is not there, or it is ready after all. */
export async function markAbandoned(
  sql: RepositoryWrite,
  repositoryId: number,
  serverId: string,
): Promise<Unready | undefined> {
  const unready = await sql.get<{ state: Unready }>(
    `select state from repositories where id = $1 and state <> 'ready'`,
    repositoryId,
  );
  if (unready?.state === 'creating') await markDeleting(sql, repositoryId, serverId);
  return unready?.state;
}

/** A repository that is being created or deleted. */
export interface UnreadyRepository {
  readonly id: number;
  readonly shardId: number;
  /** Whose request it is; null in those of earlier versions. */
  readonly serverId: string | null;
}

/** All of them, also those whose server has died meanwhile. */
export async function unreadyRepositories(sql: Sql): Promise<UnreadyRepository[]> {
  const rows = await sql.all<{ id: number; life_server_id: string | null; shard_id: number }>(
    `select r.id, r.life_server_id, n.shard_id from repositories r join networks n on n.id = r.network_id
      where r.state <> 'ready' order by r.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    serverId: row.life_server_id,
    shardId: row.shard_id,
  }));
}
