import { join } from 'node:path';

/**
 * Paths below the root. Paths of repositories contain only their numbers, never text from users;
 * 256 folders limit the size of each folder.
 */
export interface RepositoryPaths {
  repository(id: number): string;
  /** Repositories being created: a crash leaves incomplete ones here, never at their final path. */
  readonly arriving: string;
  /** Repositories being deleted. */
  readonly leaving: string;
  /** One empty file for each repository that is being written to. */
  readonly busy: string;
  readonly hooks: string;
  /** What is held back or arrives because it moves between shards. */
  readonly moves: string;
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
    moves: join(root, 'moves'),
  };
}
