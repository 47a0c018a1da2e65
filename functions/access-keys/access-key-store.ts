import type { Sql } from '#platform/database/database.ts';

import type { SealedColumn } from '../keys/rotate-service-key.ts';
import { requireCurrentSeal } from '../keys/service-key-store.ts';

/** An access key with the user of the forge that it acts for. */
export interface StoredAccessKey {
  readonly accessKeyId: string;
  /** The id of the forge's user. */
  readonly userId: number;
  /** As the user is called now. */
  readonly login: string;
  readonly sealedSecret: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

interface AccessKeyRow {
  access_key_id: string;
  account_id: number;
  login: string;
  sealed_secret: string;
  created_at: number;
}

/** Users belong to the forge: this service knows only their ids and logins. */
const stored = `select k.access_key_id, k.account_id, a.login, k.sealed_secret, k.created_at
  from function_access_keys k join accounts a on a.id = k.account_id
  where k.sealed_secret is not null`;

export interface NewAccessKey {
  readonly accessKeyId: string;
  /** The id of the forge's user. */
  readonly userId: number;
  readonly sealedSecret: string;
  readonly now: number;
}

/** Whether it was made: false when the id is, or ever was, another key's. */
export async function insertAccessKey(sql: Sql, key: NewAccessKey): Promise<boolean> {
  await requireCurrentSeal(sql, key.sealedSecret);
  const inserted = await sql.run(
    `insert into function_access_keys (access_key_id, account_id, sealed_secret, created_at)
     values ($1, $2, $3, $4) on conflict (access_key_id) do nothing`,
    key.accessKeyId,
    key.userId,
    key.sealedSecret,
    key.now,
  );
  return inserted === 1;
}

/** A key that can be used: undefined also where its user is suspended. */
export async function findAccessKey(
  sql: Sql,
  accessKeyId: string,
): Promise<StoredAccessKey | undefined> {
  const row = await sql.get<AccessKeyRow>(
    `${stored} and a.suspended_at is null and k.access_key_id = $1`,
    accessKeyId,
  );
  return row && accessKeyFromRow(row);
}

/** Those of one user, oldest first. */
export async function listAccessKeys(sql: Sql, userId: number): Promise<StoredAccessKey[]> {
  const rows = await sql.all<AccessKeyRow>(
    `${stored} and k.account_id = $1 order by k.created_at, k.access_key_id`,
    userId,
  );
  return rows.map(accessKeyFromRow);
}

export type ListedAccessKey = Omit<StoredAccessKey, 'sealedSecret'>;

/** Those of all users, by login. */
export async function listAllAccessKeys(
  sql: Sql,
  { offset, size }: { readonly offset: number; readonly size: number },
): Promise<readonly ListedAccessKey[]> {
  const rows = await sql.all<AccessKeyRow>(
    `${stored} order by a.login_key, k.created_at, k.access_key_id limit $1 offset $2`,
    size,
    offset,
  );
  return rows.map(accessKeyFromRow);
}

/** Whether there was such a key. */
export async function eraseAccessKey(sql: Sql, accessKeyId: string): Promise<boolean> {
  const erased = await sql.run(
    `update function_access_keys set sealed_secret = null
     where access_key_id = $1 and sealed_secret is not null`,
    accessKeyId,
  );
  return erased === 1;
}

/** The secrets, for a change of the service key. */
export const accessKeySecrets: SealedColumn = {
  async list(sql, sealer, after, max) {
    const rows = await sql.all<{ access_key_id: string; sealed_secret: string }>(
      `select access_key_id, sealed_secret from function_access_keys
       where access_key_id > $2 and sealed_secret not like $1 order by access_key_id limit $3`,
      `${sealer}.%`,
      after,
      max,
    );
    return rows.map((row) => ({
      id: row.access_key_id,
      text: row.sealed_secret,
      context: accessKeyContext(row.access_key_id),
    }));
  },
  async replace(sql, id, old, text) {
    await sql.run(
      `update function_access_keys set sealed_secret = $3
       where access_key_id = $1 and sealed_secret = $2`,
      id,
      old,
      text,
    );
  },
};

/** The encryption context of an access key's secret. */
export function accessKeyContext(accessKeyId: string): string {
  return `access key ${accessKeyId}`;
}

/** The id of the first site administrator of the forge. */
export async function findAdministrator(sql: Sql): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    "select id from accounts where kind = 'user' and site_admin = 1 order by id limit 1",
  );
  return row?.id;
}

function accessKeyFromRow(row: AccessKeyRow): StoredAccessKey {
  return {
    accessKeyId: row.access_key_id,
    userId: row.account_id,
    login: row.login,
    sealedSecret: row.sealed_secret,
    createdAt: row.created_at,
  };
}
