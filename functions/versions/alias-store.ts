import type { Sql } from '#platform/database/database.ts';

/** The routing of an alias. */
type AliasRoute = Pick<Alias, 'number' | 'other'>;

interface RouteRow {
  number: number;
  other_number: number | null;
  other_weight: string | null;
}

interface AliasRow extends RouteRow {
  id: number;
  name: string;
  description: string;
  revision_id: string;
}

export async function findAliasRoute(
  sql: Sql,
  functionName: string,
  alias: string,
): Promise<AliasRoute | undefined> {
  const row = await sql.get<RouteRow>(
    `select a.number, a.other_number, a.other_weight
      from function_aliases a join functions f on f.id = a.function_id
      where f.name = $1 and a.name = $2`,
    functionName,
    alias,
  );
  return row && { number: row.number, other: otherOf(row) };
}

export async function findAlias(
  sql: Sql,
  functionId: number,
  name: string,
): Promise<Alias | undefined> {
  const row = await sql.get<AliasRow>(
    `${selectAliases} where function_id = $1 and name = $2`,
    functionId,
    name,
  );
  return row && aliasOf(row);
}

/** By name; `number` selects the aliases that point to that version. */
export async function listAliases(
  sql: Sql,
  functionId: number,
  number: number | undefined,
  after: string,
  limit: number,
): Promise<Alias[]> {
  const rows = await sql.all<AliasRow>(
    `${selectAliases} where function_id = $1 and name > $2
       and (cast($3 as bigint) is null or number = cast($3 as bigint)) order by name limit $4`,
    functionId,
    after,
    number ?? null,
    limit,
  );
  return rows.map(aliasOf);
}

/** An alias that sends invocations to a version. */
export async function findAliasOfVersion(
  sql: Sql,
  functionId: number,
  number: number,
): Promise<string | undefined> {
  const row = await sql.get<{ name: string }>(
    `select name from function_aliases where function_id = $1 and (number = $2 or other_number = $2)
      order by name limit 1`,
    functionId,
    number,
  );
  return row?.name;
}

/** False when there is one of that name. */
export async function insertAlias(
  sql: Sql,
  functionId: number,
  alias: Omit<Alias, 'id'>,
): Promise<boolean> {
  const inserted = await sql.run(
    `insert into function_aliases (function_id, name, number, description, other_number, other_weight, revision_id)
      values ($1, $2, $3, $4, $5, $6, $7) on conflict (function_id, name) do nothing`,
    functionId,
    alias.name,
    ...changeableValues(alias),
  );
  return inserted === 1;
}

export async function replaceAlias(sql: Sql, alias: Alias): Promise<void> {
  await sql.run(
    `update function_aliases set number = $2, description = $3, other_number = $4, other_weight = $5, revision_id = $6
      where id = $1`,
    alias.id,
    ...changeableValues(alias),
  );
}

/** Gives an alias another revision id, and changes nothing else. */
export async function reviseAlias(sql: Sql, id: number, revisionId: string): Promise<void> {
  await sql.run('update function_aliases set revision_id = $2 where id = $1', id, revisionId);
}

export async function deleteAlias(sql: Sql, functionId: number, name: string): Promise<void> {
  await sql.run(
    'delete from function_aliases where function_id = $1 and name = $2',
    functionId,
    name,
  );
}

const selectAliases =
  'select id, name, number, description, other_number, other_weight, revision_id from function_aliases';

function changeableValues(alias: Omit<Alias, 'id'>): (string | number | null)[] {
  return [
    alias.number,
    alias.description,
    alias.other?.number ?? null,
    alias.other === undefined ? null : String(alias.other.weight),
    alias.revisionId,
  ];
}

function aliasOf(row: AliasRow): Alias {
  return {
    id: row.id,
    name: row.name,
    number: row.number,
    description: row.description,
    other: otherOf(row),
    revisionId: row.revision_id,
  };
}

function otherOf({ other_number, other_weight }: RouteRow): WeightedVersion | undefined {
  return other_number === null ? undefined : { number: other_number, weight: Number(other_weight) };
}

/** A name for a version of a function, or for two that share its invocations. */
export interface Alias {
  readonly id: number;
  readonly name: string;
  /** Number of the version; 0 is $LATEST. */
  readonly number: number;
  readonly description: string;
  readonly other: WeightedVersion | undefined;
  readonly revisionId: string;
}

/** A second version, and the part of the invocations, from 0 to 1, that goes to it. */
export interface WeightedVersion {
  readonly number: number;
  readonly weight: number;
}
