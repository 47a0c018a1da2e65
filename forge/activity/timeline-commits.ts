import type { Commit, GitRepository } from '../git/git.ts';
import type { Pull } from '../model/pull.ts';

/** Commits in the timeline of a pull; as many as the list of its commits has. */
const commitsMax = 250;

/** The commits of a pull in its timeline, the oldest first. Parents come before children, whatever the clocks of their authors. */
export async function timelineCommits(
  git: GitRepository,
  pull: Pull,
): Promise<{ readonly at: number; readonly commit: Commit }[]> {
  const from = { from: pull.head.sha, notIn: [pull.base.sha] };
  const commits = await git.log({ ...from, max: commitsMax, reverse: true });
  let latest = 0;
  return commits.map((commit) => {
    latest = Math.max(latest, commit.committer.seconds * 1000);
    return { at: latest, commit };
  });
}
