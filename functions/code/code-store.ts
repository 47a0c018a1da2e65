import type { Sql } from '#platform/database/database.ts';

import type { StoredCode } from './code-files.ts';

/** Records an archive that is on disk, in the transaction of the row that names it. */
export async function recordCode(sql: Sql, code: StoredCode, now: number): Promise<void> {
  await sql.run(
    `insert into function_codes (sha256, size, unzipped_size, created_at) values ($1, $2, $3, $4)
     on conflict do nothing`,
    code.sha256,
    code.size,
    code.unzippedSize,
    now,
  );
}

export async function findCode(sql: Sql, sha256: string): Promise<StoredCode | undefined> {
  const row = await sql.get<{ size: number; unzipped_size: number }>(
    `select size, unzipped_size from function_codes where sha256 = $1`,
    sha256,
  );
  return row && { sha256, size: row.size, unzippedSize: row.unzipped_size };
}

/** The archives of layers. */
export async function recordedCodes(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ sha256: string }>(`select sha256 from function_codes`);
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** The archives that functions and layers use, and the digests of images. */
export async function referencedArchives(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ sha256: string }>(
    'select code_sha256 as sha256 from function_configurations union select sha256 from function_codes',
  );
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** Deletes the records of unreferenced archives; the caller knows which ones layers reference. */
export async function forgetCodes(
  sql: Sql,
  named: ReadonlySet<string>,
  max: number = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  let forgotten = 0;
  for (const sha256 of await recordedCodes(sql)) {
    if (named.has(sha256)) continue;
    if (forgotten >= max) break;
    forgotten += await sql.run(`delete from function_codes where sha256 = $1`, sha256);
  }
  return forgotten;
}

/** Bytes of the archives of all versions of functions and layers, each as often as it is used. */
export async function measureCode(sql: Sql): Promise<number> {
  const row = await sql.get<{ functions: number | null; layers: number | null }>(
    `select
      (select sum(c.code_size) from function_versions v
        join function_configurations c on c.id = v.configuration_id) as functions,
      (select sum(c.size) from layer_versions v
        join function_codes c on c.sha256 = v.code_sha256 where v.deleted_at is null) as layers`,
  );
  return (row?.functions ?? 0) + (row?.layers ?? 0);
}

/** The functions whose versions have the most bytes of archives. */
export async function largestFunctions(
  sql: Sql,
  max: number,
): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  const rows = await sql.all<{ name: string; bytes: number }>(
    `select f.name, cast(sum(c.code_size) as bigint) as bytes from functions f
       join function_versions v on v.function_id = f.id
       join function_configurations c on c.id = v.configuration_id
     group by f.id, f.name order by bytes desc, f.name limit $1`,
    max,
  );
  return rows.map(({ name, bytes }) => ({ name, bytes }));
}
