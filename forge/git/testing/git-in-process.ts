import type { Git } from '../git.ts';
import { localGit } from '../process/local-git.ts';
import { openGitState } from '../process/open-git-state.ts';

export interface RunningGit {
  readonly git: Git;
  readonly close: () => Promise<void>;
}

/** The port without a process of its own: for tests. */
export async function startGitInProcess(root: string): Promise<RunningGit> {
  // Whatever was written last fails with the same error, and so does all that follows.
  const { state, recoverAll } = await openGitState({
    root,
    onNotDurable: () => {},
    report: () => {},
  });
  await recoverAll();
  const git = localGit(state);
  return { git, close: () => git.close() };
}
