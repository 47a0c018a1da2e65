import type { GitRepository } from '../git/git.ts';
import { refuse } from '../errors/api-error.ts';
import type { Pull } from '../model/pull.ts';

/** Lines of a pull's diff or patch; a longer one is refused. */
const diffLinesMax = 20_000;

/** The output of `git diff base...head`: the changes since the merge base. */
export async function pullDiff(repository: GitRepository, pull: Pull): Promise<Buffer> {
  const parted = await mergeBaseOf(repository, pull);
  return refuseLong(await repository.diffText(parted, pull.head.sha));
}

/** The output of `git format-patch base..head`. */
export async function pullPatch(repository: GitRepository, pull: Pull): Promise<Buffer> {
  const parted = await mergeBaseOf(repository, pull);
  return refuseLong(await repository.formatPatch(parted, pull.head.sha));
}

/** The merge base of head and base. `base.sha` of a merged pull is the tip before the merge, so its own commits still count. */
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
