import type { Sql } from '#platform/database.ts';

import type { AccountCounts } from '../accounts/account-representation.ts';
import type { Repository } from './repository.ts';
import { repositoriesById } from './repository-store.ts';

export async function countRepositories(sql: Sql, ownerId: number): Promise<AccountCounts> {
  const row = await sql.get<{ public: number; all: number }>(
    `select coalesce(sum(1 - private), 0) as public, count(*) as "all" from repositories
     where owner_id = $1 and state = 'ready'`,
    ownerId,
  );
  const open = Number(row?.public ?? 0);
  return { publicRepositories: open, privateRepositories: Number(row?.all ?? 0) - open };
}

export interface RepositoryRelativesFound {
  readonly parent: Repository | undefined;
  readonly source: Repository | undefined;
  readonly networkForks: number;
}

/** The parent of a fork, the root of its network, and how many forks that has. */
export async function relativesOf(
  sql: Sql,
  repository: Repository,
): Promise<RepositoryRelativesFound> {
  const count = await sql.get<{ repositories: number }>(
    `select count(*) as repositories from repositories where network_id = $1 and state = 'ready'`,
    repository.networkId,
  );
  const networkForks = Math.max(0, (count?.repositories ?? 1) - 1);
  if (repository.parentId === null) return { parent: undefined, source: undefined, networkForks };
  const root = await sql.get<{ id: number }>(
    `select min(id) as id from repositories where network_id = $1 and parent_id is null and state = 'ready'`,
    repository.networkId,
  );
  const found = await repositoriesById(
    sql,
    [repository.parentId, root?.id].flatMap((id) => id ?? []),
  );
  return {
    parent: found.get(repository.parentId),
    source: root ? found.get(root.id) : undefined,
    networkForks,
  };
}
