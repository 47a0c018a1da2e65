import type { UserCaller } from '../model/caller.ts';
import { type SigningTime, signAs, signAsServer } from '../repositories/commit-people.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import { branchRef, type BranchName, type ObjectId } from '../git/names.ts';
import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import { attemptsMax, moveRef } from './move-ref.ts';
import type { Ports } from '../ports/ports.ts';
import { inMergeTurn } from './change-refs.ts';

export interface BranchMerge {
  readonly repositoryId: number;
  readonly caller: UserCaller;
  /** The branch to be merged into. */
  readonly base: string;
  /** A branch, tag or commit. */
  readonly head: string;
  readonly message: string | undefined;
  /** The message of the refusal where the two conflict. */
  readonly conflict?: string;
  readonly signingTime: SigningTime;
}

/** Merges one branch into another; undefined when there is nothing to merge. Returns the merge commit otherwise. */
export async function mergeBranches(
  ports: Ports,
  merge: BranchMerge,
): Promise<ObjectId | undefined> {
  const base = await resolveBranchName(ports.git.repository(merge.repositoryId), merge.base);
  if (!base) return notFound('Base does not exist');
  return inMergeTurn(ports, merge.repositoryId, base, () => mergeInTurn(ports, merge, base));
}

async function mergeInTurn(
  ports: Ports,
  merge: BranchMerge,
  base: BranchName,
): Promise<ObjectId | undefined> {
  const git = ports.git.repository(merge.repositoryId);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const baseSha = await git.readRef(branchRef(base));
    if (!baseSha) return notFound('Base does not exist');
    const headSha = (await git.resolveCommit(merge.head)) ?? notFound('Head does not exist');
    if (await git.isAncestor(headSha, baseSha)) return undefined;
    const commit = await mergeHeadInto(git, merge, baseSha, headSha);
    if (await moveBase(ports, merge, base, baseSha, commit)) return commit;
  }
  return refuse({ kind: 'conflict', message: 'Base branch was modified. Try the merge again.' });
}

async function mergeHeadInto(
  git: GitRepository,
  merge: BranchMerge,
  baseSha: ObjectId,
  headSha: ObjectId,
): Promise<ObjectId> {
  const merged = await git.mergeTrees(baseSha, headSha);
  if (merged.kind !== 'clean') {
    return refuse({ kind: 'conflict', message: merge.conflict ?? 'Merge conflict' });
  }
  return git.writeCommit({
    tree: merged.tree,
    parents: [baseSha, headSha],
    author: signAs(merge.caller.account, merge.signingTime),
    committer: signAsServer(merge.signingTime),
    message: merge.message ?? `Merge ${merge.head} into ${merge.base}`,
  });
}

/** false if another request or push moved the branch first. */
async function moveBase(
  ports: Ports,
  { repositoryId, caller, signingTime }: BranchMerge,
  base: BranchName,
  old: ObjectId,
  commit: ObjectId,
): Promise<boolean> {
  const { now } = signingTime;
  const move = { repositoryId, caller, ref: branchRef(base), old, new: commit, now };
  return (await moveRef(ports, move)).kind === 'updated';
}
