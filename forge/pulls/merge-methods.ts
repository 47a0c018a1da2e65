import type { Commit, GitRepository, Signature } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import { mergeMessage, type MergeMessageInput, squashMessage } from './merge-message.ts';
import type { Pull } from '../model/pull.ts';

export const mergeMethods = ['merge', 'squash', 'rebase'] as const;
export type MergeMethod = (typeof mergeMethods)[number];

/** Commits of a pull that can be rebased. Longer ones cannot, because each commit is created again, one after the other. */
export const rebasedCommitsMax = 250;

export interface MergeParts {
  readonly pull: Pull;
  /** The base branch's tip now. */
  readonly baseSha: ObjectId;
  readonly input: MergeMessageInput;
  /** Who merges, and the pull's author, as commits name them. */
  readonly merger: Signature;
  readonly author: Signature;
  /** The server itself, which commits on their behalf. */
  readonly committer: Signature;
}

export type MergeOutcome =
  | { readonly kind: 'merged'; readonly commit: ObjectId }
  | { readonly kind: 'conflict' };

/** A merge commit with two parents, even if the base could be fast-forwarded (`--no-ff`). */
export async function makeMerge(git: GitRepository, parts: MergeParts): Promise<MergeOutcome> {
  const { pull, baseSha, merger, committer } = parts;
  const merged = await git.mergeTrees(baseSha, pull.head.sha);
  if (merged.kind !== 'clean') return { kind: 'conflict' };
  const commit = await git.writeCommit({
    tree: merged.tree,
    parents: [baseSha, pull.head.sha],
    author: merger,
    committer,
    message: mergeMessage(pull, parts.input),
  });
  return { kind: 'merged', commit };
}

/** One commit on the base with all changes of the head, by the pull's author. */
export async function makeSquash(git: GitRepository, parts: MergeParts): Promise<MergeOutcome> {
  const { pull, baseSha, author, committer } = parts;
  const merged = await git.mergeTrees(baseSha, pull.head.sha);
  if (merged.kind !== 'clean') return { kind: 'conflict' };
  const commit = await git.writeCommit({
    tree: merged.tree,
    parents: [baseSha],
    author,
    committer,
    message: squashMessage(pull, await commitsOf(git, pull, baseSha), parts.input),
  });
  return { kind: 'merged', commit };
}

/** Each commit again on the base: original authors and messages, new committer. */
export async function makeRebase(git: GitRepository, parts: MergeParts): Promise<MergeOutcome> {
  if (parts.pull.size.commits > rebasedCommitsMax) return { kind: 'conflict' };
  const rebased = await git.rebase(parts.baseSha, parts.pull.head.sha, parts.committer);
  return rebased.kind === 'clean' ? { kind: 'merged', commit: rebased.tip } : { kind: 'conflict' };
}

/** Commits whose messages the default message of a squash lists; as many as the interface lists of a pull. */
const messagesMax = 250;

function commitsOf(git: GitRepository, pull: Pull, baseSha: ObjectId): Promise<Commit[]> {
  return git.log({ from: pull.head.sha, notIn: [baseSha], max: messagesMax, reverse: true });
}
