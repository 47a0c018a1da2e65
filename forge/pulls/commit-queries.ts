import type { ObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { computePullStats } from './diff-stat.ts';
import { mergedBetween, type TipMove } from './commits-between.ts';
import { fetchCommit } from '../large-files/fetch-commit.ts';
import type { PullSize } from '../model/pull.ts';

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
