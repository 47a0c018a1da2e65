import { signAs, signAsServer, type SigningTime } from '../../repositories/commit-people.ts';
import { refuse } from '../../errors/api-error.ts';
import type { GitRepository } from '../../git/git.ts';
import { branchRef, type ObjectId, parseBranchName } from '../../git/names.ts';
import type { Account } from '../../model/account.ts';
import type { Pull } from '../../model/pull.ts';

/**
 * Commits, on top of the base branch, the opposite of what the merge of a pull changed; moves no ref. Refuses where later commits
 * have changed the same lines, and where it is not known what the merge changed.
 */
export async function revertMerge(
  git: GitRepository,
  pull: Pull,
  by: { readonly account: Account; readonly message: string; readonly signingTime: SigningTime },
): Promise<ObjectId> {
  const merge = pull.merge?.commit;
  if (!merge) return unprocessable('Only a merged pull request can be reverted.');
  const branch = parseBranchName(pull.base.ref);
  const tip = branch && (await git.readRef(branchRef(branch)));
  if (!tip) return unprocessable('base ref does not exist');
  if (!(await git.isAncestor(merge, tip))) {
    return unprocessable('The base branch does not contain the merge any more.');
  }
  const before = await treeBefore(git, pull, merge);
  const [author, committer] = [signAs(by.account, by.signingTime), signAsServer(by.signingTime)];
  // Of git-merge's three sides, the merge is the common one, and the tree before it is theirs.
  const step = { tree: before, parents: [merge], author, committer, message: by.message };
  const undone = await git.writeCommit(step);
  const merged = await git.mergeTrees(tip, undone);
  if (merged.kind !== 'clean') {
    return unprocessable('This pull request cannot be reverted automatically: it conflicts.');
  }
  return git.writeCommit({ ...step, tree: merged.tree, parents: [tip] });
}

/** The tree that the base branch had before the merge. */
async function treeBefore(git: GitRepository, pull: Pull, merge: ObjectId): Promise<ObjectId> {
  const [parent, ...others] = (await git.readCommit(merge))?.parents ?? [];
  const from = others.length > 0 ? parent : await startOfLinear(git, pull, merge);
  const commit = from && (await git.readCommit(from));
  if (!commit) return unprocessable('It is not known what the merge changed.');
  return commit.tree;
}

/** Where one squashed commit, or the commits of a rebase, begin. */
async function startOfLinear(
  git: GitRepository,
  { base, size }: Pull,
  merge: ObjectId,
): Promise<ObjectId | undefined> {
  if (!(await git.isAncestor(base.sha, merge))) return undefined;
  const commits = await git.countCommits(merge, [base.sha]);
  return commits === 1 || commits === size.commits ? base.sha : undefined;
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
