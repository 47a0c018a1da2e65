import type { Sql } from '#platform/database.ts';

/** Where invocations of an alias go. */
export interface AliasRoute {
  readonly number: number;
  /** A second version, and the part of the invocations, from 0 to 1, that goes to it. */
  readonly other: { readonly number: number; readonly weight: number } | undefined;
}

export async function findAliasRoute(
  sql: Sql,
  functionName: string,
  alias: string,
): Promise<AliasRoute | undefined> {
  const row = await sql.get<{
    number: number;
    other_number: number | null;
    other_weight: string | null;
  }>(
    `select a.number, a.other_number, a.other_weight
      from function_aliases a join functions f on f.id = a.function_id
      where f.name = $1 and a.name = $2`,
    functionName,
    alias,
  );
  return (
    row && {
      number: row.number,
      other:
        row.other_number === null
          ? undefined
          : { number: row.other_number, weight: Number(row.other_weight) },
    }
  );
}
