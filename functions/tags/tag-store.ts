import { tagsMax } from '#functions-contract/limits.ts';
import type { Sql } from '#platform/database/database.ts';

import { invalidParameter } from '../errors/functions-error.ts';

export async function replaceTags(sql: Sql, functionId: number, tags: Tags): Promise<void> {
  await sql.run('update functions set tags = $2 where id = $1', functionId, JSON.stringify(tags));
}

export type Tags = Readonly<Record<string, string>>;

/** Key of a tag, as AWS documents. */
const keyCharactersMax = 128;
/** Value of a tag, as AWS documents. */
const valueCharactersMax = 256;

/** Refuses more or longer tags than a function can have. */
export function checkTags(tags: Tags): void {
  if (Object.keys(tags).length > tagsMax) {
    throw invalidParameter('Number of tags exceeds resource tag limit.');
  }
  for (const [key, value] of Object.entries(tags)) {
    if (key.length >= 1 && key.length <= keyCharactersMax && value.length <= valueCharactersMax)
      continue;
    throw invalidParameter(
      `Tag keys must have 1 to ${keyCharactersMax} characters, and tag values at most ${valueCharactersMax}.`,
    );
  }
}
