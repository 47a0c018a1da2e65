import type { RepositoryWrite } from '../events/invalidate.ts';
import { renameLinkedBranch } from '../issues/linked-branch-store.ts';
import { repositoriesById, setDefaultBranch } from '../repositories/repository-store.ts';
import type { BranchRename } from './intent-store.ts';

/** Open pulls from and into the branch, its rules and the default branch follow it to its new name. */
export async function renameInRows(
  sql: RepositoryWrite,
  repositoryId: number,
  { from, to }: BranchRename,
): Promise<void> {
  const names = [repositoryId, from, to];
  await sql.run(
    `update pulls set base_ref = $3 where repository_id = $1 and base_ref = $2 and open = 1
       and ${isFree('$3', 'pulls.head_ref')}`,
    ...names,
  );
  await sql.run(
    `update pulls set head_ref = $3 where head_repository_id = $1 and head_ref = $2 and open = 1
       and ${isFree('pulls.base_ref', '$3')}`,
    ...names,
  );
  await sql.run(
    `update branch_rules set branch = $3 where repository_id = $1 and branch = $2
       and not exists (select 1 from branch_rules where repository_id = $1 and branch = $3)`,
    ...names,
  );
  // Rules that were set for the new name meanwhile are in force there.
  await sql.run(
    `delete from branch_rules where repository_id = $1 and branch = $2`,
    repositoryId,
    from,
  );
  await renameLinkedBranch(sql, repositoryId, from, to);
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  if (repository?.defaultBranch === from) await setDefaultBranch(sql, repositoryId, to);
}

/** One pull may be open for a head and a base, and one may have been opened on the new name meanwhile. */
function isFree(base: string, head: string): string {
  return `not exists (select 1 from pulls other where other.open = 1 and other.repository_id = pulls.repository_id
    and other.base_ref = ${base} and other.head_repository_id = pulls.head_repository_id and other.head_ref = ${head})`;
}
