import { notFound } from '../../errors/api-error.ts';
import type { ObjectId } from '../../git/names.ts';
import type { RepositoryContext } from './web-context.ts';

/** A place in the code, as addresses of files and folders name it. */
export interface TreeLocation {
  /** A branch, tag or commit, as the address has it. */
  readonly revision: string;
  readonly commit: ObjectId;
  /** Empty for the root. */
  readonly path: string;
}

/** A name of more parts than this is not looked for. */
const partsMax = 12;

/**
 * Takes `feature/x/src/main.ts` apart. Names hold slashes as paths do, so the shortest beginning that names a commit is
 * taken: of branches, `feature` and `feature/x` cannot both exist.
 */
export async function findTreeLocation(context: RepositoryContext): Promise<TreeLocation> {
  const { git, repository } = context;
  const parts = (context.path['*'] ?? '').split('/').filter((part) => part !== '');
  for (let count = 1; count <= Math.min(parts.length, partsMax); count += 1) {
    const revision = parts.slice(0, count).join('/');
    const commit = await git.resolveCommit(
      revision === 'HEAD' ? repository.defaultBranch : revision,
    );
    if (commit) return { revision, commit, path: parts.slice(count).join('/') };
  }
  return notFound();
}
