import { refuse } from '../errors/api-error.ts';
import type { GitRepository, Commit } from '../git/git.ts';
import { branchRef, type ObjectId, parseBranchName } from '../git/names.ts';
import type { Repository } from '../model/repository.ts';

/** The commit of a revision, or a refusal that names the revision. */
export async function resolveRevision(
  git: GitRepository,
  repository: Repository,
  revision: string,
): Promise<ObjectId> {
  const commit = await git.resolveCommit(revision);
  if (commit) return commit;
  if (await isEmpty(git, repository)) return refuseEmpty();
  return refuse({ kind: 'unprocessable', message: `No commit found for SHA: ${revision}` });
}

/** Whether a repository has no branch. All are listed only where the default one is missing: that costs a process. */
export async function isEmpty(git: GitRepository, repository: Repository): Promise<boolean> {
  const usual = parseBranchName(repository.defaultBranch);
  if (usual && (await git.readRef(branchRef(usual)))) return false;
  return (await git.listRefs('refs/heads/')).length === 0;
}

export function refuseEmpty(): never {
  return refuse({ kind: 'conflict', message: 'Git Repository is empty.' });
}

/** A commit that git has just named; without it the repository is damaged. */
export async function getCommit(git: GitRepository, id: ObjectId): Promise<Commit> {
  const commit = await git.readCommit(id);
  if (!commit) throw new Error(`commit ${id} of repository ${git.id} was named and cannot be read`);
  return commit;
}
