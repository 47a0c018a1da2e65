import type { Sql, SqlValue } from '#platform/database/database.ts';
import { type KeysetBounds, selectSlices, type Slice } from '#platform/database/keyset-store.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { AccountCounts } from '../accounts/account-json.ts';
import type { Affiliation, RepositoryFilter } from './repository-filter.ts';
import {
  repositoriesById,
  repositoryColumns,
  repositoryFromRow,
  type RepositoryRow,
  repositoryTables,
} from './repository-store.ts';
import type { Repository } from '../model/repository.ts';

export async function countRepositories(sql: Sql, ownerId: number): Promise<AccountCounts> {
  const row = await sql.get<{ public: number; all: number }>(
    `select coalesce(sum(1 - private), 0) as public, count(*) as "all" from repositories
     where owner_id = $1 and state = 'ready'`,
    ownerId,
  );
  const open = row?.public ?? 0;
  return { publicRepositories: open, privateRepositories: (row?.all ?? 0) - open };
}

/** Like `countRepositories`, for several owners in one statement; owners without repositories are absent. */
export async function countRepositoriesOf(
  sql: Sql,
  ownerIds: Iterable<number>,
): Promise<Map<number, AccountCounts>> {
  const unique = [...new Set(ownerIds)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<{ owner_id: number; public: number; private: number }>(
    `select owner_id, sum(1 - private) as public, sum(private) as private from repositories
     where owner_id in (${placeholders(unique.length)}) and state = 'ready' group by owner_id`,
    ...unique,
  );
  return new Map(
    rows.map((row) => [
      row.owner_id,
      { publicRepositories: row.public, privateRepositories: row.private },
    ]),
  );
}

/** One page of the repositories that match the filter, and their total number. */
export async function listRepositories(
  sql: Sql,
  filter: RepositoryFilter,
  page: PageBounds,
): Promise<{ repositories: Repository[]; total: number }> {
  const { conditions, values } = conditionsOf(filter);
  const from = `${repositoryTables} where ${conditions.join(' and ')}`;
  const list = { columns: repositoryColumns, from, values, order: orderOf(filter) };
  const { rows, total } = await selectPage<RepositoryRow>(sql, list, page);
  return { repositories: rows.map(repositoryFromRow), total };
}

/** The ids of a part of the repositories that match the filter, which is in order of names or times. */
export async function sliceRepositories(
  sql: Sql,
  filter: RepositoryFilter,
  bounds: KeysetBounds,
): Promise<Slice<{ id: number }>> {
  const { conditions, values } = conditionsOf(filter);
  const from = `${repositoryTables} where ${conditions.join(' and ')}`;
  const by = filter.sort === 'full_name' ? 'r.name_key' : orderColumn(filter);
  const descending = filter.direction === 'desc';
  const list = { columns: 'r.id', from, values, by, tie: 'r.id', descending };
  const [slice] = await selectSlices<{ id: number }>(sql, [{ list, bounds }]);
  return slice ?? { rows: [], more: false };
}

/** How many repositories match the filter. */
export async function countMatching(sql: Sql, filter: RepositoryFilter): Promise<number> {
  const { conditions, values } = conditionsOf(filter);
  const row = await sql.get<{ total: number }>(
    `select count(*) as total from ${repositoryTables} where ${conditions.join(' and ')}`,
    ...values,
  );
  return row?.total ?? 0;
}

/** Public repositories in order of creation, after a given one. */
export async function listPublicSince(sql: Sql, since: number, max: number): Promise<Repository[]> {
  const rows = await sql.all<RepositoryRow>(
    `select ${repositoryColumns} from ${repositoryTables}
     where r.private = 0 and r.state = 'ready' and r.id > $1 order by r.id limit $2`,
    since,
    max,
  );
  return rows.map(repositoryFromRow);
}

function conditionsOf(filter: RepositoryFilter): { conditions: string[]; values: SqlValue[] } {
  const conditions = [`r.state = 'ready'`];
  const values: SqlValue[] = [];
  const where = (condition: string, value: SqlValue): void => {
    values.push(value);
    conditions.push(condition.replaceAll('@', `$${values.length}`));
  };
  if (filter.viewer.seesPrivate) where(visibleTo, filter.viewer.accountId);
  else conditions.push('r.private = 0');
  if (filter.ownerId !== undefined) where('r.owner_id = @', filter.ownerId);
  if (filter.parentId !== undefined) where('r.parent_id = @', filter.parentId);
  if (filter.ids) {
    const parameters = [...filter.ids].map((id) => `$${values.push(id)}`);
    conditions.push(`r.id in (${parameters.join(', ') || 'null'})`);
  }
  if (filter.affiliatedWith) {
    const affiliations = [...filter.affiliatedWith.by].map(
      (affiliation) => affiliatedBy[affiliation],
    );
    where(
      affiliations.length > 0 ? `(${affiliations.join(' or ')})` : '@ < 0',
      filter.affiliatedWith.accountId,
    );
  }
  if (filter.starredBy !== undefined) {
    const starred = 'select 1 from stars s where s.repository_id = r.id and s.account_id = @';
    where(`exists (${starred})`, filter.starredBy);
  }
  if (filter.watchedBy !== undefined) {
    const watched = `select 1 from repository_subscriptions s
      where s.repository_id = r.id and s.account_id = @ and s.ignored = 0`;
    where(`exists (${watched})`, filter.watchedBy);
  }
  if (filter.visibility) conditions.push(`r.private = ${filter.visibility === 'private' ? 1 : 0}`);
  if (filter.kind) {
    conditions.push(`r.parent_id is ${filter.kind === 'forks' ? 'not null' : 'null'}`);
  }
  if (filter.archived !== undefined) where('r.archived = @', Number(filter.archived));
  if (filter.updatedAfter !== undefined) where('r.updated_at >= @', filter.updatedAfter);
  if (filter.updatedBefore !== undefined) where('r.updated_at < @', filter.updatedBefore);
  return { conditions, values };
}

/** SQL conditions for each affiliation of an account (`@`) with a repository. */
const affiliatedBy: Readonly<Record<Affiliation, string>> = {
  owner: 'r.owner_id = @',
  collaborator: `exists (select 1 from collaborators c where c.repository_id = r.id and c.account_id = @)`,
  organization_member: `exists (select 1 from organization_members m
    where m.organization_id = r.owner_id and m.user_id = @)`,
};

const visibleTo = `(r.private = 0 or ${Object.values(affiliatedBy).join(' or ')})`;

const orderColumns: Readonly<Record<Exclude<RepositoryFilter['sort'], 'starred'>, string>> = {
  created: 'r.created_at',
  updated: 'r.updated_at',
  pushed: 'coalesce(r.pushed_at, r.created_at)',
  full_name: 'o.login_key',
  stargazers: 'r.stargazers',
};

function orderColumn({ sort, starredBy = 0 }: RepositoryFilter): string {
  if (sort !== 'starred') return orderColumns[sort];
  return `(select s.created_at from stars s where s.repository_id = r.id and s.account_id = ${starredBy})`;
}

function orderOf(filter: RepositoryFilter): string {
  const { sort, direction } = filter;
  const last = sort === 'full_name' ? 'r.name_key' : 'r.id';
  return `${orderColumn(filter)} ${direction}, ${last} ${direction}`;
}

export interface RepositoryRelativesFound {
  readonly parent: Repository | undefined;
  readonly source: Repository | undefined;
  readonly networkForks: number;
}

/** How many forks each network has, all repositories but its root. */
export async function countNetworkForks(
  sql: Sql,
  networkIds: Iterable<number>,
): Promise<Map<number, number>> {
  const unique = [...new Set(networkIds)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<{ network_id: number; repositories: number }>(
    `select network_id, count(*) as repositories from repositories
     where network_id in (${placeholders(unique.length)}) and state = 'ready' group by network_id`,
    ...unique,
  );
  return new Map(rows.map((row) => [row.network_id, row.repositories - 1]));
}

/** The parent of a fork, the root of its network, and how many forks that has. */
export async function relativesOf(
  sql: Sql,
  repository: Repository,
): Promise<RepositoryRelativesFound> {
  const { networkId } = repository;
  const networkForks = (await countNetworkForks(sql, [networkId])).get(networkId) ?? 0;
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
