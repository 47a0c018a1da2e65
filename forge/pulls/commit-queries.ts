import type { Commit, GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { computePullStats } from './diff-stat.ts';
import { fetchCommit } from '../large-files/fetch-commit.ts';
import type { PullSize } from '../model/pull.ts';

/** Two tips of a branch. */
interface TipMove {
  readonly old: ObjectId;
  readonly new: ObjectId;
}

/** Cached queries of commits. Commits are immutable, so each query runs once, however refs move. */
export interface CommitQueries {
  /** Copies a head to the repository of its pull, unless it is the same repository. */
  fetchHead(repositoryId: number, sourceId: number | null, head: ObjectId): Promise<void>;
  size(repositoryId: number, base: ObjectId, head: ObjectId): Promise<PullSize>;
  /** Which of the heads were merged between two tips of a branch, each with the commit that merged it. */
  mergedHeads(
    repositoryId: number,
    move: TipMove,
    heads: readonly ObjectId[],
  ): Promise<Map<ObjectId, ObjectId>>;
}

export function createCommitQueries(ports: Pick<Ports, 'database' | 'git'>): CommitQueries {
  const { git } = ports;
  const fetched = remembered<void>();
  const sizes = remembered<PullSize>();
  const mergedHeads = remembered<Map<ObjectId, ObjectId>>();
  return {
    async fetchHead(repositoryId, sourceId, head) {
      if (sourceId === null || sourceId === repositoryId) return;
      await fetched([sourceId, repositoryId, head], () =>
        fetchCommit(ports, sourceId, repositoryId, head),
      );
    },
    size: (repositoryId, base, head) =>
      sizes([repositoryId, base, head], () =>
        computePullStats(git.repository(repositoryId), base, head),
      ),
    mergedHeads: (repositoryId, move, heads) =>
      mergedHeads([repositoryId, move.old, move.new, ...heads], () =>
        mergedBetween(git.repository(repositoryId), move, heads),
      ),
  };
}

function remembered<T>(): (
  keyParts: readonly (string | number)[],
  ask: () => Promise<T>,
) => Promise<T> {
  const responses = new Map<string, Promise<T>>();
  return (keyParts, ask) => {
    const key = keyParts.join(' ');
    const response = responses.get(key) ?? ask();
    responses.set(key, response);
    return response;
  };
}

/** New commits of a push that are walked to find merged pulls; with more, git is asked about each head instead. */
const walkedMax = 5000;

/**
 * Which of these heads a move made part of the branch, each with the first-parent commit that merged it: the head itself
 * if the branch was fast-forwarded to it, otherwise the first merge that contains it.
 */
async function mergedBetween(
  repository: GitRepository,
  move: TipMove,
  heads: readonly ObjectId[],
): Promise<Map<ObjectId, ObjectId>> {
  // The old tip of a branch that was rewritten long ago may have been pruned.
  const notIn = (await repository.objectInfo(move.old)) ? [move.old] : [];
  const wantedCommits = { from: move.new, notIn, max: walkedMax + 1 };
  const added = await repository.log({ ...wantedCommits, withoutText: true });
  if (added.length > walkedMax) return queryEach(repository, move, heads);
  const commits = new Map(added.map((commit) => [commit.id, commit]));
  const wanted = new Set(heads.filter((head) => commits.has(head)));
  const found = new Map<ObjectId, ObjectId>();
  if (wanted.size === 0) return found;
  const seen = new Set<ObjectId>();
  for (const commit of firstParentLine(move.new, commits)) {
    for (const id of reached(commit, commits, seen)) {
      if (wanted.has(id)) found.set(id, commit.id);
    }
  }
  return found;
}

async function queryEach(
  repository: GitRepository,
  move: TipMove,
  heads: readonly ObjectId[],
): Promise<Map<ObjectId, ObjectId>> {
  const found = new Map<ObjectId, ObjectId>();
  for (const head of new Set(heads)) {
    if (await repository.isAncestor(head, move.new)) found.set(head, move.new);
  }
  return found;
}

/** The first-parent commits among the new ones, oldest first. */
function firstParentLine(tip: ObjectId, commits: ReadonlyMap<ObjectId, Commit>): Commit[] {
  const line: Commit[] = [];
  let next = commits.get(tip);
  while (next) {
    line.unshift(next);
    const parent: ObjectId | undefined = next.parents[0];
    next = parent === undefined ? undefined : commits.get(parent);
  }
  return line;
}

/** New commits reachable from this one and from no earlier one. */
function reached(
  from: Commit,
  commits: ReadonlyMap<ObjectId, Commit>,
  seen: Set<ObjectId>,
): ObjectId[] {
  const ids: ObjectId[] = [];
  const waiting = [from.id];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const commit = commits.get(id);
    if (!commit || seen.has(id)) continue;
    seen.add(id);
    ids.push(id);
    waiting.push(...commit.parents);
  }
  return ids;
}
