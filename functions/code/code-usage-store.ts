import type { Sql } from '#platform/database/database.ts';

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
