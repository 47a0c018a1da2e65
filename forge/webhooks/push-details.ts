import type { GitRepository } from '../git/git.ts';
import { branchRef, noObject, type ObjectId, parseBranchName } from '../git/names.ts';
import type { Repository } from '../repositories/repository.ts';
import type { RefHappening } from './happening.ts';
import type { PushDetails, PushedCommit } from './payload-representation.ts';

/** Commits a payload names; a push of more shows the latest of them. */
const commitsMax = 100;
/** Files named of each. */
const filesMax = 300;

/** What a push brought: of a branch that is new, what the default branch lacks. */
export async function pushDetails(
  git: GitRepository,
  { before, after }: RefHappening,
  repository: Repository,
): Promise<Omit<PushDetails, 'pusher'>> {
  const tip = after === noObject ? undefined : await git.resolveCommit(after);
  if (tip === undefined) return { commits: [], head: undefined, forced: false };
  const known = before === noObject ? undefined : await git.resolveCommit(before);
  const forced = known !== undefined && !(await git.isAncestor(known, tip));
  const start = known ?? (await defaultTip(git, repository));
  const notIn = start === undefined || start === tip ? [] : [start];
  const nothingNew = known === undefined && start === tip && before !== noObject;
  const log = nothingNew ? [] : await git.log({ from: tip, notIn, max: commitsMax });
  const commits: PushedCommit[] = [];
  for (const commit of log.toReversed()) {
    const [parent] = commit.parents;
    const files = await git.diffFiles(parent, commit.id, { filesMax, patches: false });
    commits.push({ commit, files });
  }
  const named = commits.find(({ commit }) => commit.id === tip);
  return { commits, head: named ?? (await lone(git, tip)), forced };
}

async function defaultTip(
  git: GitRepository,
  repository: Repository,
): Promise<ObjectId | undefined> {
  const branch = parseBranchName(repository.defaultBranch);
  return branch && git.readRef(branchRef(branch));
}

async function lone(git: GitRepository, id: ObjectId): Promise<PushedCommit | undefined> {
  const commit = await git.readCommit(id);
  return commit && { commit, files: [] };
}
