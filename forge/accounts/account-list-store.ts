import type { Sql, SqlValue } from '#platform/database/database.ts';
import { type KeysetBounds, selectSlices, type Slice } from '#platform/database/keyset-store.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { Account } from '../model/account.ts';
import { accountColumns, accountFromRow, type AccountRow } from './account-store.ts';

/** Accounts (alias `a`) that rows of another table (alias `s`) name, in the order of these rows. */
export interface AccountList {
  readonly from: string;
  readonly values: readonly SqlValue[];
  readonly descending?: boolean;
}

export interface AccountEntry {
  readonly account: Account;
  /** When the row was added, in milliseconds since the epoch. */
  readonly since: number;
}

type EntryRow = AccountRow & { since: number };

const columns = `${accountColumns}, s.created_at as since`;

export async function accountPage(
  sql: Sql,
  { from, values, descending = false }: AccountList,
  page: PageBounds,
): Promise<{ entries: AccountEntry[]; total: number }> {
  const order = `s.id${descending ? ' desc' : ''}`;
  const { rows, total } = await selectPage<EntryRow>(sql, { columns, from, values, order }, page);
  return { entries: rows.map(entryOf), total };
}

/** A part of the list, for connections. */
export async function accountSlice(
  sql: Sql,
  { from, values, descending = false }: AccountList,
  bounds: KeysetBounds,
): Promise<Slice<AccountEntry>> {
  const list = { columns, from, values, by: 's.created_at', tie: 's.id', descending };
  const [slice] = await selectSlices<EntryRow>(sql, [{ list, bounds }]);
  if (!slice) return { rows: [], more: false };
  return { ...slice, rows: slice.rows.map((row) => ({ ...entryOf(row), key: row.key })) };
}

export async function countAccounts(
  sql: Sql,
  { from, values }: Pick<AccountList, 'from' | 'values'>,
): Promise<number> {
  const row = await sql.get<{ total: number }>(`select count(*) as total from ${from}`, ...values);
  return row?.total ?? 0;
}

function entryOf(row: EntryRow): AccountEntry {
  return { account: accountFromRow(row), since: row.since };
}
