import type { Database } from '#platform/database/database.ts';

import type { Git, GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import { everyPull } from './pull-filter.ts';
import { listPulls } from './pull-store.ts';
import type { Pull } from '../model/pull.ts';

/** Pulls that are looked at to find those of a commit, the most recently updated ones: each is checked with git. */
const pullsMax = 300;

/**
 * Time of that search for other pulls than those with this head or merge commit; after that, git is asked about no more of
 * them.
 */
const millisecondsDefault = 5000;

export interface PullsOfCommit {
  readonly pulls: readonly Pull[];
  /** False: time was over, and there may be more, whose head is a later commit. */
  readonly complete: boolean;
}

/** The pulls that contain a commit or merged it, most recently updated first, as far as they are found in the time. */
export async function pullsOfCommit(
  { database, git }: { database: Database; git: Git },
  repositoryId: number,
  sha: ObjectId,
  milliseconds: number = millisecondsDefault,
): Promise<PullsOfCommit> {
  const until = performance.now() + milliseconds;
  const { pulls } = await database.read((sql) =>
    listPulls(sql, repositoryId, { ...everyPull, sort: 'updated' }, { offset: 0, size: pullsMax }),
  );
  const reach = memoizedReach(git.repository(repositoryId), sha);
  const found: Pull[] = [];
  let complete = true;
  for (const pull of pulls) {
    const isNamed = pull.head.sha === sha || pull.merge?.commit === sha;
    if (!isNamed && performance.now() >= until) complete = false;
    else if (isNamed || (await containsCommit(pull, reach))) found.push(pull);
  }
  return { pulls: found, complete };
}

/** Whether the commit is in the head and was not in the base. */
async function containsCommit({ base, head }: Pull, reach: Reach): Promise<boolean> {
  return !(await reach(base.sha)) && (await reach(head.sha));
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
