import { branchRef, type BranchName, parseBranchName } from '../git/names.ts';
import type { GitRepository } from '../git/git.ts';

const prefix = 'refs/heads/';

/**
 * The branch that a client means, which need not exist. Some clients send full ref names; a branch that is really called
 * `refs/heads/main` comes before the one that such a name would be of. Undefined for what no branch can be called.
 */
export async function resolveBranchName(
  git: GitRepository,
  text: string,
): Promise<BranchName | undefined> {
  if (!text.startsWith(prefix)) return parseBranchName(text);
  const whole = parseBranchName(text);
  if (whole && (await git.readRef(branchRef(whole)))) return whole;
  return parseBranchName(text.slice(prefix.length));
}
