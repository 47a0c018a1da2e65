import { tagsMax } from '#functions-contract/limits.ts';
import type { Sql } from '#platform/database/database.ts';

import { invalidParameter } from '../errors/functions-error.ts';

export async function replaceTags(sql: Sql, functionId: number, tags: Tags): Promise<void> {
  await sql.run('update functions set tags = $2 where id = $1', functionId, JSON.stringify(tags));
}

export type Tags = Readonly<Record<string, string>>;

/** Refuses more tags than a function can have. */
export function checkTags(tags: Tags): void {
  if (Object.keys(tags).length > tagsMax) {
    throw invalidParameter('Number of tags exceeds resource tag limit.');
  }
}
