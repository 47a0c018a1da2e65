import type { RepositoryWrite } from '../events/invalidate.ts';
import type { BranchName } from '../git/names.ts';

export interface BranchRenaming {
  readonly repositoryId: number;
  readonly from: BranchName;
  readonly to: BranchName;
}

/** Open pulls from and into the branch, its rules and the default branch follow it to its new name. */
export async function renameInRows(
  sql: RepositoryWrite,
  { repositoryId, from, to }: BranchRenaming,
): Promise<void> {
  const names = [repositoryId, from, to];
  await sql.run(
    `update pulls set base_ref = $3 where repository_id = $1 and base_ref = $2 and open = 1`,
    ...names,
  );
  await sql.run(
    `update pulls set head_ref = $3 where head_repository_id = $1 and head_ref = $2 and open = 1`,
    ...names,
  );
  await sql.run(
    `update branch_rules set branch = $3 where repository_id = $1 and branch = $2`,
    ...names,
  );
}
