import type { Sql } from '#platform/database/database.ts';

/** What the database knows of the location that HOB_CODE names. */
export interface ClaimRow {
  /** Also in the store itself, once it is `marked`. */
  readonly key: string;
  /** As `shownLocation` says it. */
  readonly location: string;
  readonly isMarked: boolean;
}

export async function findClaim(sql: Sql): Promise<ClaimRow | undefined> {
  const row = await sql.get<{ store_key: string; location: string; marked: number }>(
    'select store_key, location, marked from function_code_stores where id = 1',
  );
  return row && { key: row.store_key, location: row.location, isMarked: row.marked === 1 };
}

/** Of several servers that start at once, the first one chooses the key. */
export async function insertClaim(sql: Sql, key: string, location: string): Promise<void> {
  await sql.run(
    `insert into function_code_stores (id, store_key, location, marked) values (1, $1, $2, 0)
     on conflict do nothing`,
    key,
    location,
  );
}

export async function markClaim(sql: Sql, key: string, location: string): Promise<void> {
  await sql.run(
    'update function_code_stores set marked = 1, location = $2 where id = 1 and store_key = $1',
    key,
    location,
  );
}
