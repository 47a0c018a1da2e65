import type { Sql } from '#platform/database/database.ts';

import type { Tags } from './check-tags.ts';

export async function replaceTags(sql: Sql, functionId: number, tags: Tags): Promise<void> {
  await sql.run('update functions set tags = $2 where id = $1', functionId, JSON.stringify(tags));
}
