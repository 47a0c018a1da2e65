import { notFound } from '../../errors/api-error.ts';
import type { ObjectId } from '../../git/names.ts';
import type { RepositoryContext } from './web-context.ts';

/** A revision and path, as in URLs of files and folders. */
export interface TreeLocation {
  /** A branch, tag or commit, as in the URL. */
  readonly revision: string;
  readonly commit: ObjectId;
  /** Empty for the root. */
  readonly path: string;
}

/** Segments of a page's path that may be a branch name. */
const partsMax = 12;

/**
 * Splits `feature/x/src/main.ts` into revision and path. Branch names may contain slashes, so the shortest prefix that names
 * a commit is the revision: the branches `feature` and `feature/x` cannot both exist.
 */
export async function findTreeLocation(context: RepositoryContext): Promise<TreeLocation> {
  const { git } = context;
  const parts = (context.path['*'] ?? '').split('/').filter((part) => part !== '');
  for (let count = 1; count <= Math.min(parts.length, partsMax); count += 1) {
    const revision = parts.slice(0, count).join('/');
    const commit = await git.resolveCommit(revision);
    if (commit) return { revision, commit, path: parts.slice(count).join('/') };
  }
  return notFound();
}
