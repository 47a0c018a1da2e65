import type { Sql } from '#platform/database/database.ts';

import type { FunctionVersion } from '../configuration/function-record.ts';
import { findVersionById } from '../configuration/function-store.ts';

/** Published versions with SnapStart, the newest first. */
export async function listSnapshotVersions(sql: Sql): Promise<FunctionVersion[]> {
  return versionsOf(
    sql,
    await sql.all<{ id: number }>(
      `select v.id from function_configurations c
        join function_versions v on v.function_id = c.function_id and v.serving_id = c.id
        where c.snap_start = 1 and v.number > 0 and v.state = 'Active' order by v.id desc`,
    ),
  );
}

/** Serving versions that were neither invoked nor changed since a time, without those with provisioned concurrency. */
export async function listUnused(sql: Sql, since: number): Promise<FunctionVersion[]> {
  return versionsOf(
    sql,
    await sql.all<{ id: number }>(
      `select v.id from function_versions v
        where v.state = 'Active' and (v.update_status is null or v.update_status <> 'InProgress')
          and v.last_modified < $1 and (v.used_at is null or v.used_at < $1)
          and not exists (select 1 from function_provisioned p where p.function_id = v.function_id)
        order by v.id`,
      since,
    ),
  );
}

/** Uses are stored late: an earlier one changes nothing. */
export async function noteUse(sql: Sql, versionId: number, usedAt: number): Promise<void> {
  await sql.run(
    'update function_versions set used_at = $2 where id = $1 and (used_at is null or used_at < $2)',
    versionId,
    usedAt,
  );
}

async function versionsOf(sql: Sql, rows: readonly { id: number }[]): Promise<FunctionVersion[]> {
  const found: FunctionVersion[] = [];
  for (const { id } of rows) {
    const version = await findVersionById(sql, id);
    if (version) found.push(version);
  }
  return found;
}

/** The published version with the highest number. */
export async function findLastPublished(
  sql: Sql,
  functionId: number,
): Promise<FunctionVersion | undefined> {
  const row = await sql.get<{ id: number }>(
    'select id from function_versions where function_id = $1 and number > 0 order by number desc limit 1',
    functionId,
  );
  return row && findVersionById(sql, row.id);
}
