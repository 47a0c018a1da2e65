import { findRules } from '../../branches/protection-store.ts';
import type { RefMove } from '../../git/ref-update.ts';
import { branchRef, noObject, parseBranchName } from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import type { Pull } from '../../model/pull.ts';

/**
 * The move that removes the head branch of a pull together with its merge, as `delete_branch_on_merge` asks: one ref
 * transaction, so that a crash loses neither. None where the branch is in another repository, is the default one, or its
 * rules keep it.
 */
export async function removalOfHead(
  ports: Pick<Ports, 'database'>,
  pull: Pull,
): Promise<RefMove[]> {
  const { repositoryId, ref, sha } = pull.head;
  const branch = parseBranchName(ref);
  if (repositoryId !== pull.repositoryId || !branch) return [];
  const stays = await ports.database.read(async (sql) => {
    const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
    const rules = await findRules(sql, repositoryId, ref);
    return repository?.defaultBranch === ref || rules?.allowDeletions === false;
  });
  return stays ? [] : [{ ref: branchRef(branch), old: sha, new: noObject }];
}
