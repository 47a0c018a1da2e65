import { Durability } from '#forge/git/commands/durability.ts';
import { GitError } from '#forge/git/git-error.ts';
import { findGitTools } from '#forge/git/commands/git-tools.ts';
import { GitRunner } from '#forge/git/commands/run-git.ts';

/** Looks into repositories that no server uses. */
export interface GitChecks {
  /** What is wrong with a repository whose refs lead to objects that are not there; undefined: nothing is. */
  missingObjects(repository: string): Promise<string | undefined>;
  /** What `git fsck` finds wrong; undefined: nothing. */
  faults(repository: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Check of a repository by a backup: time, and memory. */
const limits = { seconds: 3600, memoryBytes: 2048 * 1024 * 1024 };

export async function openGitChecks(): Promise<GitChecks> {
  const runner = new GitRunner(await findGitTools(), new Durability(() => {}));
  const problem = async (repositoryPath: string, args: string[]): Promise<string | undefined> => {
    try {
      await runner.run({ arguments: args, repositoryPath, limits });
      return undefined;
    } catch (error) {
      if (error instanceof GitError && error.kind !== 'unavailable') return error.message;
      throw error;
    }
  };
  return {
    missingObjects: (repository) =>
      problem(repository, ['rev-list', '--objects', '--all', '--quiet']),
    faults: (repository) =>
      problem(repository, ['fsck', '--strict', '--no-dangling', '--no-progress']),
    close: () => runner.close(),
  };
}
