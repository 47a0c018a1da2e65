import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { ObjectId } from '../git/names.ts';

/** What checks show of a pull. */
export interface CheckedPull {
  readonly id: number;
  readonly number: number;
  readonly base: { readonly ref: string; readonly sha: ObjectId };
  readonly head: { readonly ref: string; readonly sha: ObjectId };
}

/** The open pulls between branches of a repository whose heads are these commits, oldest first. As on GitHub, those of forks are not. */
export async function pullsOfHeads(
  sql: Sql,
  repositoryId: number,
  shas: readonly ObjectId[],
): Promise<CheckedPull[]> {
  const unique = [...new Set(shas)];
  if (unique.length === 0) return [];
  const rows = await sql.all<{
    id: number;
    number: number;
    base_ref: string;
    base_sha: ObjectId;
    head_ref: string;
    head_sha: ObjectId;
  }>(
    `select p.id, i.number, p.base_ref, p.base_sha, p.head_ref, p.head_sha
     from pulls p join issues i on i.id = p.id
     where p.repository_id = $1 and p.head_repository_id = $1 and p.open = 1
       and p.head_sha in (${placeholders(unique.length, 2)}) order by p.id`,
    repositoryId,
    ...unique,
  );
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    base: { ref: row.base_ref, sha: row.base_sha },
    head: { ref: row.head_ref, sha: row.head_sha },
  }));
}
