import type { Sql } from '#platform/database.ts';

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
