import { refuse } from '../conventions/refusal.ts';
import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';

/** The commit a revision names, or a refusal that says what was looked for (truth 6). */
export async function namedCommit(git: GitRepository, revision: string): Promise<ObjectId> {
  const commit = await git.resolveCommit(revision);
  if (commit) return commit;
  if (await isEmpty(git)) return refuseEmpty();
  return refuse({ kind: 'unprocessable', message: `No commit found for SHA: ${revision}` });
}

/** A repository nobody has pushed a branch to. */
export async function isEmpty(git: GitRepository): Promise<boolean> {
  return (await git.listRefs('refs/heads/')).length === 0;
}

export function refuseEmpty(): never {
  return refuse({ kind: 'conflict', message: 'Git Repository is empty.' });
}
