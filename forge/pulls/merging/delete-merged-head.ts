import type { Sql } from '#platform/database/database.ts';

import type { RefMove } from '../../git/ref-update.ts';
import { branchRef, noObject, parseBranchName } from '../../git/names.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { Pull } from '../../model/pull.ts';
import { protectedMoveDenial } from '../../ref-updates/protection-checks.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';

/**
 * The deletion of a pull's head branch for `delete_branch_on_merge`. It is part of the merge's ref transaction, so that a
 * crash loses neither. undefined if the branch is in another repository, is the default branch, or its rules forbid the
 * caller to delete it.
 */
export async function removalOfHead(
  sql: Sql,
  pull: Pull,
  caller: UserCaller,
): Promise<RefMove | undefined> {
  const { repositoryId, ref, sha } = pull.head;
  const branch = parseBranchName(ref);
  if (repositoryId !== pull.repositoryId || !branch) return undefined;
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  if (!repository?.deleteBranchOnMerge || repository.defaultBranch === ref) return undefined;
  const deletion = { ref: branchRef(branch), how: 'deleted' } as const;
  if ((await protectedMoveDenial(sql, repositoryId, caller, deletion)) !== undefined) {
    return undefined;
  }
  return { ref: deletion.ref, old: sha, new: noObject };
}
