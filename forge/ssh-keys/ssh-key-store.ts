import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { SshKey, SshKeyOwner } from '../model/ssh-key.ts';

interface Row {
  id: number;
  account_id: number | null;
  repository_id: number | null;
  added_by: number;
  login: string;
  title: string;
  public_key: string;
  fingerprint: string;
  read_only: number;
  created_at: number;
  last_used_at: number | null;
}

const columns = `k.id, k.account_id, k.repository_id, k.added_by, a.login, k.title, k.public_key, k.fingerprint,
  k.read_only, k.created_at, k.last_used_at`;
const tables = 'ssh_keys k join accounts a on a.id = k.added_by';

/** In the order in which they were added. */
export async function listSshKeys(
  sql: Sql,
  owner: SshKeyOwner,
  page: PageBounds,
): Promise<{ readonly keys: readonly SshKey[]; readonly total: number }> {
  const { column, id } = ownerColumn(owner);
  const { rows, total } = await selectPage<Row>(
    sql,
    { columns, from: `${tables} where k.${column} = $1`, values: [id], order: 'k.id' },
    page,
  );
  return { keys: rows.map(keyFromRow), total };
}

/** All keys of these accounts, by account, in the order in which they were added. */
export async function sshKeysOfAccounts(
  sql: Sql,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, readonly SshKey[]>> {
  if (accountIds.length === 0) return new Map();
  const rows = await sql.all<Row>(
    `select ${columns} from ${tables} where k.account_id in (${placeholders(accountIds.length)})
     order by k.id`,
    ...accountIds,
  );
  const byAccount = Map.groupBy(rows, (row) => row.account_id ?? 0);
  return new Map([...byAccount].map(([id, own]) => [id, own.map(keyFromRow)]));
}

export async function findSshKey(
  sql: Sql,
  owner: SshKeyOwner,
  keyId: number,
): Promise<SshKey | undefined> {
  const { column, id } = ownerColumn(owner);
  const row = await sql.get<Row>(
    `select ${columns} from ${tables} where k.id = $1 and k.${column} = $2`,
    keyId,
    id,
  );
  return row && keyFromRow(row);
}

/** The key that a client signs in with. */
export async function sshKeyByFingerprint(
  sql: Sql,
  fingerprint: string,
): Promise<SshKey | undefined> {
  const row = await sql.get<Row>(
    `select ${columns} from ${tables} where k.fingerprint = $1`,
    fingerprint,
  );
  return row && keyFromRow(row);
}

export async function sshKeyById(sql: Sql, id: number): Promise<SshKey | undefined> {
  const row = await sql.get<Row>(`select ${columns} from ${tables} where k.id = $1`, id);
  return row && keyFromRow(row);
}

export interface NewSshKey {
  readonly owner: SshKeyOwner;
  readonly title: string;
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly readOnly: boolean;
  readonly addedById: number;
  readonly now: number;
}

/** Fails with a unique violation when the key belongs to any user or repository. */
export async function insertSshKey(sql: Sql, key: NewSshKey): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into ssh_keys (account_id, repository_id, added_by, title, public_key, fingerprint, read_only, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    'accountId' in key.owner ? key.owner.accountId : null,
    'repositoryId' in key.owner ? key.owner.repositoryId : null,
    key.addedById,
    key.title,
    key.publicKey,
    key.fingerprint,
    key.readOnly ? 1 : 0,
    key.now,
  );
  if (!row) throw new Error('insert into ssh_keys returned no row');
  return row.id;
}

/** false: the owner has no such key. */
export async function deleteSshKey(sql: Sql, owner: SshKeyOwner, keyId: number): Promise<boolean> {
  const { column, id } = ownerColumn(owner);
  return (await sql.run(`delete from ssh_keys where id = $1 and ${column} = $2`, keyId, id)) > 0;
}

/** At most once a minute, so that programs that connect all the time do not write all the time. */
export async function recordSshKeyUse(sql: Sql, keyId: number, now: number): Promise<void> {
  await sql.run(
    `update ssh_keys set last_used_at = $1
     where id = $2 and (last_used_at is null or last_used_at < $3)`,
    now,
    keyId,
    now - useRecordedMilliseconds,
  );
}

/** Time after which the next use of an SSH key is recorded. */
const useRecordedMilliseconds = 60_000;

function ownerColumn(owner: SshKeyOwner): {
  readonly column: 'account_id' | 'repository_id';
  readonly id: number;
} {
  return 'accountId' in owner
    ? { column: 'account_id', id: owner.accountId }
    : { column: 'repository_id', id: owner.repositoryId };
}

function keyFromRow(row: Row): SshKey {
  return {
    id: row.id,
    owner:
      row.repository_id === null
        ? { accountId: row.account_id ?? 0 }
        : { repositoryId: row.repository_id },
    title: row.title,
    publicKey: row.public_key,
    fingerprint: row.fingerprint,
    readOnly: row.read_only === 1,
    addedBy: { id: row.added_by, login: row.login },
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
