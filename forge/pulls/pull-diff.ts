import type { GitRepository } from '../git/git.ts';
import { refuse } from '../errors/api-error.ts';
import type { Pull } from '../model/pull.ts';

/** A diff longer than this is refused. */
const diffLinesMax = 20_000;

/** What `git diff base...head` prints: the changes since the branches parted. */
export async function pullDiff(repository: GitRepository, pull: Pull): Promise<Buffer> {
  const parted = await mergeBaseOf(repository, pull);
  return refuseLong(await repository.diffText(parted, pull.head.sha));
}

/** What `git format-patch base..head` prints. */
export async function pullPatch(repository: GitRepository, pull: Pull): Promise<Buffer> {
  const parted = await mergeBaseOf(repository, pull);
  return refuseLong(await repository.formatPatch(parted, pull.head.sha));
}

/** Where head and base parted. A merged pull's base has moved on; its own commits are counted from before the merge. */
export async function mergeBaseOf(
  repository: GitRepository,
  pull: Pull,
): Promise<Pull['base']['sha'] | undefined> {
  return repository.mergeBase(pull.base.sha, pull.head.sha);
}

function refuseLong(text: Buffer): Buffer {
  let lines = 0;
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) lines += 1;
  if (lines <= diffLinesMax) return text;
  return refuse({
    kind: 'diff-too-large',
    message: `Sorry, the diff exceeded the maximum number of lines (${diffLinesMax})`,
  });
}
