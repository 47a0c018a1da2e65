import { invalid } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import { type ObjectId, parseObjectId } from '../git/names.ts';
import type { Pull } from '../model/pull.ts';

/** The head, unless an older commit of it is named. */
export async function reviewedCommit(
  git: GitRepository,
  pull: Pull,
  named: string | undefined,
  resource: string,
): Promise<ObjectId> {
  if (named === undefined) return pull.head.sha;
  const sha = parseObjectId(named);
  const known = sha && (await git.readCommit(sha)) && (await git.isAncestor(sha, pull.head.sha));
  if (sha && known) return sha;
  const message = 'commit_id is not part of the pull request';
  return invalid({ value: named, resource, field: 'commit_id', code: 'custom', message });
}
