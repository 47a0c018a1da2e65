import type { Sql } from '#platform/database/database.ts';

import type { Configuration } from '../configuration/configuration.ts';

/** The layers that functions have. */
export interface LayersOfFunctions {
  /** ARNs of layer versions. */
  readonly arns: ReadonlySet<string>;
  /** Hashes of layers' archives, in the order in which each configuration has them. */
  readonly lists: readonly (readonly string[])[];
}

const isUsed = `exists (select 1 from function_versions v
  where v.function_id = c.function_id and (v.configuration_id = c.id or v.serving_id = c.id))`;

/** Configurations that no version uses any more. */
export async function unusedConfigurations(sql: Sql): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select c.id from function_configurations c where not ${isUsed} order by c.id`,
  );
  return rows.map(({ id }) => id);
}

/** false when a version has taken it meanwhile. */
export async function removeConfiguration(sql: Sql, id: number): Promise<boolean> {
  const forgotten = await sql.run(
    `delete from function_configurations where id in
       (select c.id from function_configurations c where c.id = $1 and not ${isUsed})`,
    id,
  );
  return forgotten > 0;
}

export async function layersOfFunctions(sql: Sql): Promise<LayersOfFunctions> {
  const arns = new Set<string>();
  const lists = new Map<string, readonly string[]>();
  for (let after = 0; ;) {
    const rows = await sql.all<{ id: number; settings: string }>(
      `select id, settings from function_configurations where id > $1 order by id limit $2`,
      after,
      batch,
    );
    for (const { settings } of rows) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by configuration/function-store.ts
      const { Layers } = JSON.parse(settings) as Configuration;
      for (const { Arn } of Layers) arns.add(Arn);
      const list = Layers.map(({ sha256 }) => sha256);
      if (list.length > 0) lists.set(list.join(' '), list);
    }
    const last = rows.at(-1);
    if (!last || rows.length < batch) break;
    after = last.id;
  }
  return { arns, lists: [...lists.values()] };
}

const batch = 500;

/** The hashes of archives that functions name, images' digests among them. */
export async function codesOfFunctions(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ code_sha256: string }>(
    `select distinct code_sha256 from function_configurations`,
  );
  return new Set(rows.map((row) => row.code_sha256));
}
