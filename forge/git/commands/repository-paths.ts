import { join } from 'node:path';

/**
 * Where things lie below the root. Repositories are found by number alone, so that no name of a
 * user is ever part of a path, in 256 folders, so that none of them grows too large.
 */
export interface RepositoryPaths {
  repository(id: number): string;
  /** Repositories being made: a crash leaves them here, never half done in their place. */
  readonly arriving: string;
  /** Repositories being removed. */
  readonly leaving: string;
  /** One empty file for each repository that is being written to. */
  readonly busy: string;
  readonly hooks: string;
}

export function repositoryPaths(root: string): RepositoryPaths {
  return {
    repository(id) {
      if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`Not a repository id: ${id}`);
      const folder = (id % 256).toString(16).padStart(2, '0');
      return join(root, 'repositories', folder, `${id}.git`);
    },
    arriving: join(root, 'arriving'),
    leaving: join(root, 'leaving'),
    busy: join(root, 'busy'),
    hooks: join(root, 'hooks'),
  };
}
