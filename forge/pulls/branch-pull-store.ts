import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { Pull } from '../model/pull.ts';
import { pullColumns, pullFromRow, type PullRow, pullTables } from './pull-store.ts';

/** Branches in one statement: SQLite looks for each of its values among all others, and holds up everything else meanwhile. */
const branchesAtOnce = 500;

/** Open pulls that have one of these branches of a repository as head or base, without those into a deleted repository. */
export async function pullsOnBranches(
  sql: Sql,
  repositoryId: number,
  branches: readonly string[],
): Promise<Pull[]> {
  const found = new Map<number, Pull>();
  for (let from = 0; from < branches.length; from += branchesAtOnce) {
    const some = branches.slice(from, from + branchesAtOnce);
    for (const pull of await pullsOnSome(sql, repositoryId, some)) found.set(pull.id, pull);
  }
  return [...found.values()];
}

async function pullsOnSome(
  sql: Sql,
  repositoryId: number,
  branches: readonly string[],
): Promise<Pull[]> {
  const list = placeholders(branches.length, 2);
  const rows = await sql.all<PullRow>(
    `select ${pullColumns} from ${pullTables} join repositories r on r.id = p.repository_id
     where p.open = 1 and r.state <> 'deleting' and ((p.repository_id = $1 and p.base_ref in (${list}))
       or (p.head_repository_id = $1 and p.head_ref in (${list})))`,
    repositoryId,
    ...branches,
  );
  return rows.map(pullFromRow);
}
