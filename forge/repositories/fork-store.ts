import type { Sql } from '#platform/database/database.ts';

import { caseless } from '../model/account.ts';

/** The repository of a network that an account owns, if it has one. */
export async function forkOwnedBy(
  sql: Sql,
  networkId: number,
  ownerId: number,
): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    `select id from repositories where network_id = $1 and owner_id = $2 and state = 'ready' order by id limit 1`,
    networkId,
    ownerId,
  );
  return row?.id;
}

/** Like `forkOwnedBy`, but includes a fork in creation, so that a second request does not create another. */
export async function forkWantedBy(
  sql: Sql,
  networkId: number,
  ownerId: number,
): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    `select id from repositories where network_id = $1 and owner_id = $2 and state <> 'deleting'
     order by id limit 1`,
    networkId,
    ownerId,
  );
  return row?.id;
}

/** The name itself, or the name with the first free number: `tools-1`. */
export async function freeName(sql: Sql, ownerId: number, name: string): Promise<string> {
  const rows = await sql.all<{ name_key: string }>(
    `select name_key from repositories where owner_id = $1`,
    ownerId,
  );
  const taken = new Set(rows.map((row) => row.name_key));
  let free = name;
  for (let number = 1; taken.has(caseless(free)); number += 1) free = `${name}-${number}`;
  return free;
}
