import type { Sql } from '#platform/database.ts';

import { caseless } from '../accounts/account.ts';
import type { RepositoryUpdate } from './repository.ts';
import { touchRepository, updateRepository } from './repository-store.ts';

export interface NewRepository {
  readonly ownerId: number;
  readonly name: string;
  readonly description: string | null;
  readonly homepage: string | null;
  readonly private: boolean;
  readonly defaultBranch: string;
  /** A fork names its parent and joins its network. */
  readonly parent?: { readonly id: number; readonly networkId: number };
  readonly settings?: RepositoryUpdate;
  readonly now: number;
}

/** Inserts a repository in state `creating`. Fails with a unique violation when the owner has one of that name. */
export async function insertRepository(sql: Sql, repository: NewRepository): Promise<number> {
  const networkId = repository.parent?.networkId ?? (await insertNetwork(sql));
  const row = await sql.get<{ id: number }>(
    `insert into repositories
       (network_id, owner_id, name, name_key, parent_id, state, description, homepage, private, default_branch,
        created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'creating', $6, $7, $8, $9, $10, $10) returning id`,
    networkId,
    repository.ownerId,
    repository.name,
    caseless(repository.name),
    repository.parent?.id ?? null,
    repository.description,
    repository.homepage,
    repository.private ? 1 : 0,
    repository.defaultBranch,
    repository.now,
  );
  if (!row) throw new Error('insert into repositories returned no row');
  await sql.run(
    `delete from repository_redirects where owner_id = $1 and name_key = $2`,
    repository.ownerId,
    caseless(repository.name),
  );
  if (repository.settings) await updateRepository(sql, row.id, repository.settings, repository.now);
  return row.id;
}

/** Git has done its part: the repository is there for everybody who may see it. */
export async function markReady(sql: Sql, repositoryId: number): Promise<void> {
  await sql.run(`update repositories set state = 'ready' where id = $1`, repositoryId);
  await touchRepository(sql, repositoryId);
}

/** Removes a repository's row with all that hangs on it. */
export async function deleteRepositoryRow(sql: Sql, repositoryId: number): Promise<void> {
  await touchRepository(sql, repositoryId);
  await sql.run(`delete from repositories where id = $1`, repositoryId);
}

/**
 * Takes a repository out of everybody's sight before git is asked to remove it. Its name is free from now on: no name
 * begins with a colon.
 */
export async function markDeleting(sql: Sql, repositoryId: number): Promise<void> {
  await sql.run(
    `update repositories set state = 'deleting', name_key = $2 where id = $1`,
    repositoryId,
    `:${repositoryId}`,
  );
  await sql.run(`delete from repository_redirects where repository_id = $1`, repositoryId);
  await touchRepository(sql, repositoryId);
}

export interface AbandonedRepository {
  readonly id: number;
}

/** Repositories whose making or removal was cut short. */
export async function abandonedRepositories(sql: Sql): Promise<AbandonedRepository[]> {
  return sql.all<{ id: number }>(`select id from repositories where state <> 'ready' order by id`);
}

/** A network of one: the versions of its answers begin anew. */
export async function insertNetwork(sql: Sql): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into networks (version) values (1) returning id`,
  );
  if (!row) throw new Error('insert into networks returned no row');
  return row.id;
}
