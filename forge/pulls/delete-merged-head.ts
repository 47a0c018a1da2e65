import { findRules } from '../branches/rules-store.ts';
import { branchRef, noObject, parseBranchName } from '../git/names.ts';
import type { Ports } from '../ports.ts';
import { changeRefs } from '../ref-changes/change-refs.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { Pull } from './pull.ts';

/**
 * Removes the head branch of a merged pull, as `delete_branch_on_merge` asks. A branch that has moved on meanwhile, or
 * that its repository hands out by default or protects, stays.
 */
export async function deleteMergedHead(
  ports: Ports,
  pull: Pull,
  actorId: number,
  now: number,
): Promise<void> {
  const { repositoryId, ref, sha } = pull.head;
  const branch = parseBranchName(ref);
  if (repositoryId !== pull.repositoryId || !branch) return;
  const found = await ports.database.read((sql) => repositoriesById(sql, [repositoryId]));
  if (found.get(repositoryId)?.defaultBranch === ref) return;
  const rules = await ports.database.read((sql) => findRules(sql, repositoryId, ref));
  if (rules && !rules.allowDeletions) return;
  await changeRefs(ports, {
    repositoryId,
    refs: [{ ref: branchRef(branch), old: sha, new: noObject }],
    now,
    actorId,
  });
}
