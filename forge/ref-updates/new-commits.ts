import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import { noObject, type ObjectId, type RefName } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { hasWebhooks } from '../events/event-outbox-store.ts';
import type { NewCommits } from '../model/domain-event.ts';
import type { RefMove } from '../git/ref-update.ts';

/** Commits of a push that its event lists, the latest. */
const commitsMax = 100;
/**
 * Refs of one push whose new commits are listed before its client is answered; those of the others are when the event is sent.
 */
const listsMax = 50;

const nothing: NewCommits = { commits: [], known: [], baseRef: null };

/** The new commits for the payloads of a push; empty if no webhook subscribes to pushes or git takes too long. */
export async function newCommitsForWebhooks(
  ports: Ports,
  repositoryId: number,
  moves: readonly RefMove[],
): Promise<ReadonlyMap<RefName, NewCommits>> {
  const isReported = await ports.database.read((sql) => hasWebhooks(sql, repositoryId, 'push'));
  if (!isReported) return new Map();
  try {
    return await findNewCommits(ports.git.repository(repositoryId), moves);
  } catch (error) {
    // The refs have moved, so the rows must follow however long the history is. Delivery computes the list again.
    if (error instanceof GitError && error.kind === 'limit') return new Map();
    throw error;
  }
}

/**
 * The new commits of each branch and tag of a push, in the order of its commands: commits that two of them share count for
 * the first. This runs right after the refs have moved, because other refs may soon contain the same commits; reverting the
 * moves in memory gives the state before.
 */
export async function findNewCommits(
  git: GitRepository,
  moves: readonly RefMove[],
): Promise<Map<RefName, NewCommits>> {
  const tips = await tipsBefore(git, moves);
  const found = new Map<RefName, NewCommits>();
  let lists = 0;
  for (const { ref, old, new: next } of moves) {
    tips.delete(ref);
    const tip = next === noObject ? undefined : await git.resolveCommit(next);
    if (tip === undefined) {
      found.set(ref, nothing);
      continue;
    }
    const before = old === noObject ? undefined : await git.resolveCommit(old);
    const baseRef = tips.branchAt(tip);
    if (before === undefined && tips.has(tip)) {
      found.set(ref, { ...nothing, baseRef });
    } else if (lists < listsMax) {
      lists += 1;
      found.set(ref, { ...(await commitsOf(git, tip, before, tips)), baseRef });
    }
    tips.set(ref, tip);
  }
  return found;
}

async function commitsOf(
  git: GitRepository,
  tip: ObjectId,
  before: ObjectId | undefined,
  others: Tips,
): Promise<Pick<NewCommits, 'commits' | 'known'>> {
  const list = async (notIn: readonly ObjectId[]): Promise<ObjectId[]> => {
    const log = await git.log({ from: tip, notIn, max: commitsMax });
    return log.map(({ id }) => id).toReversed();
  };
  if (before === undefined) return { commits: await list(others.all()), known: [] };
  const commits = await list([before]);
  const fresh = new Set(others.has(tip) ? [] : await list([before, ...others.all()]));
  return { commits, known: commits.filter((id) => !fresh.has(id)) };
}

/** Every branch and tag with its commit before the moves. */
async function tipsBefore(git: GitRepository, moves: readonly RefMove[]): Promise<Tips> {
  const tips = new Tips();
  for (const space of ['refs/heads/', 'refs/tags/']) {
    for (const { name, peeled } of await git.listRefs(space)) tips.set(name, peeled);
  }
  for (const { ref, old } of moves) {
    const tip = old === noObject ? undefined : await git.resolveCommit(old);
    if (tip === undefined) tips.delete(ref);
    else tips.set(ref, tip);
  }
  return tips;
}

/** Refs and their commits, indexed both ways, because a push may move thousands of refs. */
class Tips {
  readonly #commits = new Map<RefName, ObjectId>();
  readonly #refs = new Map<ObjectId, Set<RefName>>();

  set(ref: RefName, commit: ObjectId): void {
    this.delete(ref);
    this.#commits.set(ref, commit);
    const refs = this.#refs.get(commit) ?? new Set();
    this.#refs.set(commit, refs.add(ref));
  }

  delete(ref: RefName): void {
    const commit = this.#commits.get(ref);
    if (commit === undefined) return;
    this.#commits.delete(ref);
    const refs = this.#refs.get(commit);
    refs?.delete(ref);
    if (refs?.size === 0) this.#refs.delete(commit);
  }

  has(commit: ObjectId): boolean {
    return this.#refs.has(commit);
  }

  all(): ObjectId[] {
    return [...this.#refs.keys()];
  }

  /** A branch with this tip. Branches come before tags, unless a tag of this push was first. */
  branchAt(commit: ObjectId): RefName | null {
    for (const ref of this.#refs.get(commit) ?? []) if (ref.startsWith('refs/heads/')) return ref;
    return null;
  }
}
