import type { Commit, GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';

/** A commit that git has just named; without it the repository is damaged. */
export async function requiredCommit(git: GitRepository, id: ObjectId): Promise<Commit> {
  const commit = await git.readCommit(id);
  if (!commit) throw new Error(`commit ${id} of repository ${git.id} was named and cannot be read`);
  return commit;
}
