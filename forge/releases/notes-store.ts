import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { ObjectId } from '../git/names.ts';

export interface MergedPull {
  readonly number: number;
  readonly title: string;
  readonly authorLogin: string;
  /** No earlier pull of its author was merged into the repository. */
  readonly isFirst: boolean;
}

const chunk = 500;

/** The pulls that these commits merged, by number. */
export async function pullsMergedBy(
  sql: Sql,
  repositoryId: number,
  commits: readonly ObjectId[],
): Promise<MergedPull[]> {
  const found: MergedPull[] = [];
  for (let from = 0; from < commits.length; from += chunk) {
    const part = commits.slice(from, from + chunk);
    const rows = await sql.all<{ number: number; title: string; login: string; later: number }>(
      `select i.number, i.title, a.login, case when exists
         (select 1 from issues oi join pulls op on op.id = oi.id
          where oi.repository_id = i.repository_id and oi.author_id = i.author_id and op.merged = 1
            and (op.merged_at < p.merged_at or (op.merged_at = p.merged_at and op.id < p.id)))
         then 1 else 0 end as later
       from pulls p join issues i on i.id = p.id join accounts a on a.id = i.author_id
       where p.repository_id = $1 and p.merged = 1 and p.merge_commit_sha in (${placeholders(part.length, 2)})`,
      repositoryId,
      ...part,
    );
    for (const { number, title, login, later } of rows) {
      found.push({ number, title, authorLogin: login, isFirst: later === 0 });
    }
  }
  return found.toSorted((one, other) => one.number - other.number);
}
