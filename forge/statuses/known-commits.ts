import type { Git } from '../git/git.ts';
import { type ObjectId, parseObjectId } from '../git/names.ts';

/** Commits that are known to be there, some 3 MB: more than receive statuses at one time. */
const knownMax = 20_000;

/** Commits that were found, as `repository id, commit id`. Per git port, because each has its own repositories. */
const knownByGit = new WeakMap<Git, Set<string>>();

/**
 * The commit of a revision in a repository, or undefined. Existing commits are cached, so that a build system that reports
 * many statuses of one commit causes a single query to git.
 */
export async function findCommit(
  git: Git,
  repositoryId: number,
  revision: string,
): Promise<ObjectId | undefined> {
  const known = knownCommits(git);
  const id = parseObjectId(revision);
  if (id && known.has(key(repositoryId, id))) return id;
  const commit = await git.repository(repositoryId).resolveCommit(revision);
  if (commit) remember(known, key(repositoryId, commit));
  return commit;
}

function knownCommits(git: Git): Set<string> {
  const known = knownByGit.get(git) ?? new Set();
  knownByGit.set(git, known);
  return known;
}

function remember(known: Set<string>, commit: string): void {
  known.add(commit);
  const [oldest] = known;
  if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
}

function key(repositoryId: number, id: ObjectId): string {
  return `${repositoryId} ${id}`;
}
