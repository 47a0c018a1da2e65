import type { Sql } from '#platform/database/database.ts';

import type { RefMove } from '../../git/ref-update.ts';
import { branchRef, noObject, parseBranchName } from '../../git/names.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { Pull } from '../../model/pull.ts';
import { protectedMoveDenial } from '../../ref-updates/merge-block.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';

/**
 * The move that removes the head branch of a pull together with its merge, as `delete_branch_on_merge` asks: one ref
 * transaction, so that a crash loses neither. None where the branch is in another repository, is the default one, or its
 * rules would refuse a push of the caller that deletes it.
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
