import type { GitRepository } from '../git/git.ts';
import { noObject, type ObjectId } from '../git/names.ts';
import type { RefEvent, NewCommits } from '../model/domain-event.ts';
import { findNewCommits } from '../ref-updates/new-commits.ts';
import type { PushDetails, PushedCommit } from './payload-json.ts';

/** Files that the event of a push lists for each commit. */
const filesMax = 300;

/** The commits of a push, as of the time when the ref moved. */
export async function pushDetails(
  git: GitRepository,
  domainEvent: RefEvent,
): Promise<Omit<PushDetails, 'pusher'>> {
  const { before, after } = domainEvent;
  const tip = after === noObject ? undefined : await git.resolveCommit(after);
  if (tip === undefined) return { commits: [], head: undefined, baseRef: null, forced: false };
  const known = before === noObject ? undefined : await git.resolveCommit(before);
  const forced = known !== undefined && !(await git.isAncestor(known, tip));
  const newCommits = domainEvent.newCommits ?? (await newCommitsNow(git, domainEvent));
  const commits: PushedCommit[] = [];
  for (const id of newCommits.commits) {
    const pushed = await pushedCommit(git, id, !newCommits.known.includes(id));
    if (pushed) commits.push(pushed);
  }
  const named = commits.find(({ commit }) => commit.id === tip);
  // As on GitHub, a head commit that is not in the list of new commits is always `distinct`.
  return {
    commits,
    head: named ?? (await pushedCommit(git, tip, true)),
    baseRef: newCommits.baseRef,
    forced,
  };
}

async function newCommitsNow(
  git: GitRepository,
  { ref, before, after }: RefEvent,
): Promise<NewCommits> {
  const found = await findNewCommits(git, [{ ref, old: before, new: after }]);
  return found.get(ref) ?? { commits: [], known: [], baseRef: null };
}

async function pushedCommit(
  git: GitRepository,
  id: ObjectId,
  distinct: boolean,
): Promise<PushedCommit | undefined> {
  const commit = await git.readCommit(id);
  if (!commit) return undefined;
  const [parent] = commit.parents;
  const files = await git.diffFiles(parent, commit.id, { filesMax, patches: false });
  return { commit, files, distinct };
}
