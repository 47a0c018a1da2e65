import type { Commit, GitRepository, Signature } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { AutoMerge, Pull } from '../model/pull.ts';

export const mergeMethods = ['merge', 'squash', 'rebase'] as const;
export type MergeMethod = (typeof mergeMethods)[number];

/** Commits of a pull that can be rebased. Longer ones cannot, because each commit is created again, one after the other. */
export const rebasedCommitsMax = 250;

export interface MergeMessageInput {
  readonly title: string | undefined;
  readonly message: string | undefined;
}

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

/** Makes the commits of a merge by one of the methods; moves no ref. */
export function makeMergeCommits(
  git: GitRepository,
  method: MergeMethod,
  parts: MergeParts,
): Promise<MergeOutcome> {
  const make = { merge: makeMerge, squash: makeSquash, rebase: makeRebase }[method];
  return make(git, parts);
}

/** A merge commit with two parents, even if the base could be fast-forwarded (`--no-ff`). */
async function makeMerge(git: GitRepository, parts: MergeParts): Promise<MergeOutcome> {
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
async function makeSquash(git: GitRepository, parts: MergeParts): Promise<MergeOutcome> {
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
async function makeRebase(git: GitRepository, parts: MergeParts): Promise<MergeOutcome> {
  if (parts.pull.size.commits > rebasedCommitsMax) return { kind: 'conflict' };
  const rebased = await git.rebase(parts.baseSha, parts.pull.head.sha, parts.committer);
  return rebased.kind === 'clean' ? { kind: 'merged', commit: rebased.tip } : { kind: 'conflict' };
}

/** Commits whose messages the default message of a squash lists; as many as the interface lists of a pull. */
const messagesMax = 250;

function commitsOf(git: GitRepository, pull: Pull, baseSha: ObjectId): Promise<Commit[]> {
  return git.log({ from: pull.head.sha, notIn: [baseSha], max: messagesMax, reverse: true });
}

/** Title and message of a merge commit; values from the request replace the defaults. */
export function mergeMessage(pull: Pull, input: MergeMessageInput): string {
  return joined(titleOr(mergeTitle(pull), input.title), input.message ?? pull.title);
}

/** Title and message of a squash commit: the message of a single commit, or a list of all messages. */
export function squashMessage(
  pull: Pull,
  commits: readonly Commit[],
  input: MergeMessageInput,
): string {
  return joined(titleOr(squashTitle(pull), input.title), input.message ?? squashDetail(commits));
}

/** The message of the commit that auto-merge will make, as far as it is known before. */
export function autoMergeText(
  pull: Pull,
  { method, title, message }: AutoMerge,
): { readonly title: string; readonly message: string } {
  const titles = { merge: mergeTitle(pull), squash: squashTitle(pull), rebase: '' };
  return {
    title: titleOr(titles[method], title),
    message: message ?? (method === 'merge' ? pull.title : ''),
  };
}

/** A blank title would make the message begin with blank lines, or be empty. */
function titleOr(usual: string, title: string | null | undefined): string {
  return title === null || title === undefined || title.trim() === '' ? usual : title;
}

function mergeTitle({ number, head }: Pull): string {
  return `Merge pull request #${number} from ${head.ownerLogin}/${head.ref}`;
}

function squashTitle({ title, number }: Pull): string {
  return `${title} (#${number})`;
}

export function updateMessage(pull: Pull): string {
  return `Merge branch '${pull.base.ref}' into ${pull.head.ref}`;
}

function squashDetail(commits: readonly Commit[]): string {
  const [first] = commits;
  if (!first) return '';
  if (commits.length === 1) return first.message.split('\n').slice(1).join('\n').trim();
  return commits.map((commit) => `* ${commit.message.trim()}`).join('\n\n');
}

function joined(title: string, detail: string): string {
  return detail === '' ? title : `${title}\n\n${detail}`;
}
