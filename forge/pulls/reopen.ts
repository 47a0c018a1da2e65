import { invalid } from '../errors/api-error.ts';
import { branchRef, noObject, type ObjectId, parseBranchName, pullHeadRef } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';
import type { CommitQueries } from './commit-queries.ts';
import type { Pull, PullSize } from '../model/pull.ts';

/** The current tips of a reopened pull's branches, which a closed pull did not follow. */
export interface PullTips {
  readonly baseSha: ObjectId;
  readonly headSha: ObjectId;
  readonly size: PullSize;
  /** The previous value of `refs/pull/N/head`. */
  readonly headRef: ObjectId;
}

/** A closed pull can be reopened only if its branches are unchanged or were fast-forwarded. */
export async function tipsForReopening(
  ports: Ports,
  pull: Pull,
  commitQueries: CommitQueries,
): Promise<PullTips> {
  if (pull.merge) return refuseState('The pull request cannot be reopened.');
  const headId = pull.head.repositoryId;
  if (headId === null) return refuseDeletedHead();
  const work = (): Promise<PullTips> => readTips(ports, pull, headId, commitQueries);
  return unlessDeleted(ports.database, headId, work, refuseDeletedHead);
}

async function readTips(
  ports: Ports,
  pull: Pull,
  headId: number,
  commitQueries: CommitQueries,
): Promise<PullTips> {
  const base = ports.git.repository(pull.repositoryId);
  // Before the branches, as in ref-updates/plan-effects.ts.
  const headRef = (await base.readRef(pullHeadRef(pull.number))) ?? noObject;
  const baseSha = await tipOf(ports, pull.repositoryId, pull.base.ref);
  if (!baseSha) return refuseState(`The ${pull.base.ref} branch has been deleted.`);
  const headSha = await tipOf(ports, headId, pull.head.ref);
  if (!headSha) return refuseState(`The ${pull.head.ref} branch has been deleted.`);
  const head = ports.git.repository(headId);
  if (headSha !== pull.head.sha && !(await head.isAncestor(pull.head.sha, headSha))) {
    return refuseState(`The ${pull.head.ref} branch was force-pushed or recreated.`);
  }
  await commitQueries.fetchHead(base.id, head.id, headSha);
  const size = await commitQueries.size(base.id, baseSha, headSha);
  if (size.commits === 0) {
    return refuseState(`There are no new commits on the ${pull.head.ref} branch.`);
  }
  return { baseSha, headSha, size, headRef };
}

/** Makes the head fetchable from the repository of the pull; false if the ref has moved since the tips were read. */
export async function moveHeadRef(
  { git }: Pick<Ports, 'git'>,
  pull: Pull,
  { headRef, headSha }: PullTips,
): Promise<boolean> {
  if (headRef === headSha) return true;
  const update = { ref: pullHeadRef(pull.number), old: headRef, new: headSha };
  return (await git.repository(pull.repositoryId).updateRefs([update])).kind === 'updated';
}

async function tipOf(
  ports: Ports,
  repositoryId: number,
  name: string,
): Promise<ObjectId | undefined> {
  const branch = parseBranchName(name);
  const tip = branch && (await ports.git.repository(repositoryId).readRef(branchRef(branch)));
  return tip === noObject ? undefined : tip;
}

function refuseDeletedHead(): never {
  return refuseState('The repository that submitted this pull request has been deleted.');
}

function refuseState(reason: string): never {
  return invalid({
    resource: 'PullRequest',
    code: 'custom',
    field: 'state',
    message: `state cannot be changed. ${reason}`,
  });
}
