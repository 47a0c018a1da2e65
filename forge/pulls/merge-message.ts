import type { Commit } from '../git/git.ts';
import type { AutoMerge, Pull } from '../model/pull.ts';

export interface MergeMessageInput {
  readonly title: string | undefined;
  readonly message: string | undefined;
}

/** Title and message of a merge commit; values from the request replace the defaults. */
export function mergeMessage(pull: Pull, input: MergeMessageInput): string {
  return joined(input.title ?? mergeTitle(pull), input.message ?? pull.title);
}

/** Title and message of a squash commit: the message of a single commit, or a list of all messages. */
export function squashMessage(
  pull: Pull,
  commits: readonly Commit[],
  input: MergeMessageInput,
): string {
  return joined(input.title ?? squashTitle(pull), input.message ?? squashDetail(commits));
}

/** The message of the commit that auto-merge will make, as far as it is known before. */
export function autoMergeText(
  pull: Pull,
  { method, title, message }: AutoMerge,
): { readonly title: string; readonly message: string } {
  const titles = { merge: mergeTitle(pull), squash: squashTitle(pull), rebase: '' };
  return {
    title: title ?? titles[method],
    message: message ?? (method === 'merge' ? pull.title : ''),
  };
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
