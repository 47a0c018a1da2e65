import type { Database } from '#platform/database/database.ts';

import type { Git, GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import { everyPull } from './pull-filter.ts';
import { listPulls } from './pull-store.ts';
import type { Pull } from '../model/pull.ts';

/** Each pull is checked with git, so only the most recently updated ones are. */
const pullsMax = 300;

/** The pulls that contain a commit or merged it, most recently updated first; those that are found in the time, where it is limited. */
export async function pullsOfCommit(
  { database, git }: { database: Database; git: Git },
  repositoryId: number,
  sha: ObjectId,
  milliseconds: number = Infinity,
): Promise<Pull[]> {
  const until = performance.now() + milliseconds;
  const { pulls } = await database.read((sql) =>
    listPulls(sql, repositoryId, { ...everyPull, sort: 'updated' }, { offset: 0, size: pullsMax }),
  );
  const reach = memoizedReach(git.repository(repositoryId), sha);
  const found: Pull[] = [];
  for (const pull of pulls) {
    if (performance.now() >= until) break;
    if (await containsCommit(pull, sha, reach)) found.push(pull);
  }
  return found;
}

/** Whether the commit is in the head and was not in the base, or is the merge itself. */
async function containsCommit(pull: Pull, sha: ObjectId, reach: Reach): Promise<boolean> {
  if (pull.head.sha === sha || pull.merge?.commit === sha) return true;
  return !(await reach(pull.base.sha)) && (await reach(pull.head.sha));
}

type Reach = (tip: ObjectId) => Promise<boolean>;

/** Open pulls share their base, so each tip is checked once. */
function memoizedReach(git: GitRepository, sha: ObjectId): Reach {
  const known = new Map<ObjectId, Promise<boolean>>();
  return (tip) => {
    const response = known.get(tip) ?? reaches(git, tip, sha);
    known.set(tip, response);
    return response;
  };
}

/** The base commit of an old pull may no longer exist: its branch was reset, and no ref held the commits. */
async function reaches(git: GitRepository, tip: ObjectId, sha: ObjectId): Promise<boolean> {
  return (await git.objectInfo(tip)) !== undefined && git.isAncestor(sha, tip);
}
