import type { Sql } from '#platform/database/database.ts';

import type { LayerVersion } from './layer.ts';

/** What a publisher gives. */
export type NewLayerVersion = Omit<LayerVersion, 'id' | 'version' | 'deleted'>;

/** A page of a list that is in the order of its keys: what comes after `after`. */
export interface KeysetPage<Key> {
  readonly after: Key | undefined;
  readonly size: number;
}

/** Which versions a list is of; undefined: all. */
export interface LayerFilter {
  readonly runtime: string | undefined;
  readonly architecture: string | undefined;
}

/** Gives the version the next number of its layer. The archive is recorded already. */
export async function insertLayerVersion(sql: Sql, layer: NewLayerVersion): Promise<LayerVersion> {
  const row = await sql.get<{ id: number; last_version: number }>(
    `insert into layers (name, last_version) values ($1, 1)
     on conflict (name) do update set last_version = layers.last_version + 1
     returning id, last_version`,
    layer.name,
  );
  if (!row) throw new Error('insert into layers returned no row');
  const inserted = await sql.get<{ id: number }>(
    `insert into layer_versions (layer_id, version, code_sha256, description, license_info, runtimes,
       architectures, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    row.id,
    row.last_version,
    layer.content.sha256,
    layer.description,
    layer.licenseInfo ?? null,
    JSON.stringify(layer.compatibleRuntimes ?? null),
    JSON.stringify(layer.compatibleArchitectures ?? null),
    layer.createdAt,
  );
  if (!inserted) throw new Error('insert into layer_versions returned no row');
  return { ...layer, id: inserted.id, version: row.last_version, deleted: false };
}

/** Includes deleted ones, which functions may still use. Callers that need a new one refuse those. */
export async function findLayerVersion(
  sql: Sql,
  name: string,
  version: number,
): Promise<LayerVersion | undefined> {
  const row = await sql.get<LayerVersionRow>(
    `${selection} where l.name = $1 and v.version = $2`,
    name,
    version,
  );
  return row && fromRow(row);
}

/** The newest first. */
export async function listLayerVersions(
  sql: Sql,
  name: string,
  filter: LayerFilter,
  page: KeysetPage<number>,
): Promise<LayerVersion[]> {
  const rows = await sql.all<LayerVersionRow>(
    `${selection} where l.name = $1 and v.deleted_at is null and v.version < $2 and ${matches('$3', '$4')}
     order by v.version desc limit $5`,
    name,
    page.after ?? Number.MAX_SAFE_INTEGER,
    pattern(filter.runtime),
    pattern(filter.architecture),
    page.size,
  );
  return rows.map(fromRow);
}

/** The newest matching version of each layer, by name. */
export async function listLayers(
  sql: Sql,
  filter: LayerFilter,
  page: KeysetPage<string>,
): Promise<LayerVersion[]> {
  const rows = await sql.all<LayerVersionRow>(
    `${selection} where l.name > $1 and v.version = (
       select max(v.version) from layer_versions v
       where v.layer_id = l.id and v.deleted_at is null and ${matches('$2', '$3')})
     order by l.name limit $4`,
    page.after ?? '',
    pattern(filter.runtime),
    pattern(filter.architecture),
    page.size,
  );
  return rows.map(fromRow);
}

/** Whether it was there and not deleted. */
export async function deleteLayerVersion(
  sql: Sql,
  name: string,
  version: number,
  now: number,
): Promise<boolean> {
  const changed = await sql.run(
    `update layer_versions set deleted_at = $3
     where version = $2 and deleted_at is null and layer_id = (select id from layers where name = $1)`,
    name,
    version,
    now,
  );
  return changed > 0;
}

/** Deleted versions stay while a function has them. */
export async function deletedLayerVersions(
  sql: Sql,
): Promise<{ id: number; name: string; version: number }[]> {
  return sql.all(
    `select v.id, l.name, v.version from layer_versions v join layers l on l.id = v.layer_id
     where v.deleted_at is not null`,
  );
}

/** Removes a deleted version that no function uses any more. */
export async function dropLayerVersion(sql: Sql, id: number): Promise<void> {
  await sql.run(`delete from layer_versions where id = $1 and deleted_at is not null`, id);
}

/** The hashes that versions name. */
export async function codesOfLayers(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ code_sha256: string }>(
    `select distinct code_sha256 from layer_versions`,
  );
  return new Set(rows.map((row) => row.code_sha256));
}

interface LayerVersionRow {
  readonly id: number;
  readonly name: string;
  readonly version: number;
  readonly sha256: string;
  readonly size: number;
  readonly unzipped_size: number;
  readonly description: string;
  readonly license_info: string | null;
  readonly runtimes: string;
  readonly architectures: string;
  readonly created_at: number;
  readonly deleted_at: number | null;
}

const selection = `select v.id, l.name, v.version, c.sha256, c.size, c.unzipped_size, v.description, v.license_info,
    v.runtimes, v.architectures, v.created_at, v.deleted_at
  from layer_versions v join layers l on l.id = v.layer_id
  join function_codes c on c.sha256 = v.code_sha256`;

/** The lists contain only names of the contract, none of which has a character that is special in JSON or in a pattern. */
function matches(runtime: string, architecture: string): string {
  return `v.runtimes like ${runtime} escape '\\' and v.architectures like ${architecture} escape '\\'`;
}

function pattern(name: string | undefined): string {
  return name === undefined ? '%' : `%"${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}"%`;
}

function fromRow(row: LayerVersionRow): LayerVersion {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    content: { sha256: row.sha256, size: row.size, unzippedSize: row.unzipped_size },
    description: row.description,
    licenseInfo: row.license_info ?? undefined,
    compatibleRuntimes: names(row.runtimes),
    compatibleArchitectures: names(row.architectures),
    createdAt: row.created_at,
    deleted: row.deleted_at !== null,
  };
}

function names(json: string): string[] | undefined {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : undefined;
}
