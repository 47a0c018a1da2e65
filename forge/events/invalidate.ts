import type { Database, Row, Sql, SqlValue } from '#platform/database/database.ts';

import { inRepositoryQueue } from '../model/repository.ts';
import {
  advanceAccounts,
  advanceNetwork,
  advanceNetworksOf,
  claimOwner,
  insertNetwork,
  type ShardOfNetwork,
} from './generation-store.ts';

/**
 * A transaction that has invalidated the cached responses about one repository and its network of forks. Stores that write
 * data of such responses require this type, and only the functions of this file create it, so that no write can leave a
 * stale response in the cache.
 */
class RepositoryWrite implements Sql {
  readonly #transaction: Sql;
  readonly invalidates: 'network' | 'organization' | 'everything' = 'network';

  constructor(transaction: Sql) {
    this.#transaction = transaction;
  }

  all<R extends object = Row>(text: string, ...values: readonly SqlValue[]): Promise<R[]> {
    return this.#transaction.all<R>(text, ...values);
  }

  notify(channel: string): void {
    this.#transaction.notify(channel);
  }

  get<R extends object = Row>(
    text: string,
    ...values: readonly SqlValue[]
  ): Promise<R | undefined> {
    return this.#transaction.get<R>(text, ...values);
  }

  run(text: string, ...values: readonly SqlValue[]): Promise<number> {
    return this.#transaction.run(text, ...values);
  }
}

/** Like `RepositoryWrite`, for all repositories of an organization: for changes of its members and teams. */
class OrganizationWrite extends RepositoryWrite {
  override readonly invalidates: 'organization' | 'everything' = 'organization';
}

/** Like `RepositoryWrite`, for all repositories, because any response can show any account. */
class AccountsWrite extends OrganizationWrite {
  override readonly invalidates = 'everything';
}

export type { AccountsWrite, OrganizationWrite, RepositoryWrite };

/**
 * A transaction that changes a repository; transactions of one repository run one after the other. Those of other repositories of its
 * network change the same row first, so that of two at the same time one is tried again: what they decide by needs no other protection.
 */
export function writeRepository<T>(
  database: Pick<Database, 'write'>,
  repositoryId: number,
  work: (sql: RepositoryWrite) => Promise<T>,
): Promise<T> {
  return database.write(
    async (sql) => work(await invalidateRepository(sql, repositoryId)),
    inRepositoryQueue(repositoryId),
  );
}

/** A transaction that changes accounts. */
export function writeAccounts<T>(
  database: Pick<Database, 'write'>,
  work: (sql: AccountsWrite) => Promise<T>,
): Promise<T> {
  return database.write(async (sql) => work(await invalidateAccounts(sql)));
}

/** For a transaction that determines only while it runs which repository it changes. */
export async function invalidateRepository(
  sql: Sql,
  repositoryId: number,
): Promise<RepositoryWrite> {
  await advanceNetwork(sql, repositoryId);
  return new RepositoryWrite(sql);
}

/** For a transaction that determines only while it runs which organization it changes. */
export async function invalidateOrganization(
  sql: Sql,
  organizationId: number,
): Promise<OrganizationWrite> {
  await claimOwner(sql, organizationId);
  await advanceNetworksOf(sql, organizationId);
  return new OrganizationWrite(sql);
}

export async function invalidateAccounts(sql: Sql): Promise<AccountsWrite> {
  await advanceAccounts(sql);
  return new AccountsWrite(sql);
}

/** For the first repository of a network, about which nothing is cached yet. It may be one that leaves another network. */
export async function createNetwork(
  sql: Sql,
  shard: ShardOfNetwork,
): Promise<{ id: number; write: RepositoryWrite }> {
  return { id: await insertNetwork(sql, shard), write: new RepositoryWrite(sql) };
}
