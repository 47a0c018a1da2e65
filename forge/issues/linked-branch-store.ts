import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';

/** A branch that was made for an issue; it may be in another repository. */
export interface LinkedBranch {
  readonly id: number;
  readonly issueId: number;
  readonly repositoryId: number;
  readonly branch: string;
}

const columns = `b.id, b.issue_id as "issueId", b.repository_id as "repositoryId", b.branch`;

/** The branches of several issues, in the order in which they were linked, in one statement. */
export async function linkedBranchesOf(
  sql: Sql,
  issueIds: readonly number[],
): Promise<LinkedBranch[]> {
  if (issueIds.length === 0) return [];
  return sql.all<LinkedBranch>(
    `select ${columns} from linked_branches b
     where b.issue_id in (${placeholders(issueIds.length)}) order by b.id`,
    ...issueIds,
  );
}

export async function findLinkedBranch(sql: Sql, id: number): Promise<LinkedBranch | undefined> {
  return sql.get<LinkedBranch>(`select ${columns} from linked_branches b where b.id = $1`, id);
}

export async function insertLinkedBranch(
  sql: RepositoryWrite,
  { issueId, repositoryId, branch }: Omit<LinkedBranch, 'id'>,
  now: number,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into linked_branches (issue_id, repository_id, branch, created_at) values ($1, $2, $3, $4)
     on conflict (issue_id, repository_id, branch) do update set created_at = excluded.created_at returning id`,
    issueId,
    repositoryId,
    branch,
    now,
  );
  if (!row) throw new Error('insert into linked_branches returned no row');
  return row.id;
}

/** Returns false if it was not there. */
export async function deleteLinkedBranch(sql: RepositoryWrite, id: number): Promise<boolean> {
  return (await sql.run(`delete from linked_branches where id = $1`, id)) > 0;
}

/** Branches that are deleted are linked no more, nor are later ones of their names. */
export async function unlinkBranches(
  sql: RepositoryWrite,
  repositoryId: number,
  branches: readonly string[],
): Promise<void> {
  if (branches.length === 0) return;
  // A push may delete thousands, and few are linked.
  const linked = await sql.all<{ branch: string }>(
    `select distinct branch from linked_branches where repository_id = $1`,
    repositoryId,
  );
  const deleted = new Set(branches);
  for (const { branch } of linked) {
    if (!deleted.has(branch)) continue;
    await sql.run(
      `delete from linked_branches where repository_id = $1 and branch = $2`,
      repositoryId,
      branch,
    );
  }
}

export async function renameLinkedBranch(
  sql: RepositoryWrite,
  repositoryId: number,
  from: string,
  to: string,
): Promise<void> {
  await sql.run(
    `update linked_branches set branch = $3 where repository_id = $1 and branch = $2 and not exists
       (select 1 from linked_branches o where o.issue_id = linked_branches.issue_id and o.repository_id = $1 and o.branch = $3)`,
    repositoryId,
    from,
    to,
  );
}
