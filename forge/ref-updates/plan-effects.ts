import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import {
  branchOf,
  branchRef,
  noObject,
  type ObjectId,
  parseBranchName,
  pullHeadRef,
  type RefName,
} from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { type CommitQueries, createCommitQueries } from '../pulls/commit-queries.ts';
import { effectsOnPull, type PullEffect, type PullWithTips } from './pull-effects.ts';
import { type BranchRename, openRenames } from './intent-store.ts';
import type { BaseMove } from '../pulls/pull-change-store.ts';
import { pullsOnBranches } from '../pulls/branch-pull-store.ts';
import type { Pull } from '../model/pull.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';

/** The changes of open pulls that the current tips of branches require. */
export interface PullsPlan {
  readonly effects: readonly PullEffect[];
  /** The tips of the base branches. */
  readonly bases: readonly BaseMove[];
  /** `refs/pull/N/head` refs that must move before the rows name the new heads. */
  readonly headRefs: readonly {
    readonly pull: Pull;
    readonly old: ObjectId;
    readonly new: ObjectId;
  }[];
}

/**
 * Plans the changes of open pulls that the current values of these refs require. Each call reads rows and refs again.
 */
export function pullsPlanner(
  ports: Ports,
  repositoryId: number,
  refs: readonly RefName[],
): () => Promise<PullsPlan> {
  const branches = refs.flatMap((ref) => branchOf(ref) ?? []);
  const commitQueries = createCommitQueries(ports);
  const readPulls = (): Promise<Pull[]> =>
    ports.database.read((sql) => pullsOnBranches(sql, repositoryId, branches));
  const plan = async (pulls: readonly Pull[]): Promise<PullsPlan> => {
    if (pulls.length === 0) return { effects: [], bases: [], headRefs: [] };
    const seen = await readRefs(ports, repositoryId, pulls, new Set(branches));
    const withTips = await addTips(pulls, seen, commitQueries);
    return {
      effects: withTips.flatMap(effectsOnPull),
      bases: seen.bases.flatMap((ref) => {
        const sha = seen.tips.get(ref);
        return sha === undefined ? [] : [{ repositoryId, ref, sha }];
      }),
      headRefs: seen.from.flatMap((pull) => {
        const [old, tip] = [seen.headRefs.get(pull.id) ?? noObject, seen.tips.get(pull.head.ref)];
        return tip === undefined || tip === old ? [] : [{ pull, old, new: tip }];
      }),
    };
  };
  return async () => {
    for (let pulls = await readPulls(); ;) {
      try {
        return await plan(pulls);
      } catch (error) {
        // git fails for pulls whose repository was deleted meanwhile. Then there are fewer to plan for.
        const left = error instanceof GitError ? await readPulls() : pulls;
        if (left.length >= pulls.length) throw error;
        pulls = left;
      }
    }
  };
}

/** Makes heads fetchable from the repository of the pulls; false if the plan is outdated, because a ref or repository changed. */
export async function moveHeadRefs(
  ports: Pick<Ports, 'database' | 'git'>,
  { headRefs }: PullsPlan,
): Promise<boolean> {
  for (const { pull, old, new: next } of headRefs) {
    const update = { ref: pullHeadRef(pull.number), old, new: next };
    const result = await unlessDeleted(
      ports.database,
      pull.repositoryId,
      () => ports.git.repository(pull.repositoryId).updateRefs([update]),
      () => 'deleted' as const,
    );
    if (result === 'deleted' || result.kind !== 'updated') return false;
  }
  return true;
}

interface SeenRefs {
  readonly into: readonly Pull[];
  readonly from: readonly Pull[];
  /** The base branches. */
  readonly bases: readonly string[];
  readonly headRefs: ReadonlyMap<number, ObjectId | undefined>;
  /** By branch; undefined if it does not exist. */
  readonly tips: ReadonlyMap<string, ObjectId | undefined>;
}

async function readRefs(
  ports: Ports,
  repositoryId: number,
  pulls: readonly Pull[],
  branches: ReadonlySet<string>,
): Promise<SeenRefs> {
  const into = pulls.filter(
    (pull) => pull.repositoryId === repositoryId && branches.has(pull.base.ref),
  );
  const from = pulls.filter(
    (pull) => pull.head.repositoryId === repositoryId && branches.has(pull.head.ref),
  );
  const bases = [...new Set(into.map((pull) => pull.base.ref))];
  // Read before the branches: then a compare-and-swap from these values fails if a later reader of the branches was faster.
  const headRefs = await inParallel(from, async (pull) => [
    pull.id,
    await ports.git.repository(pull.repositoryId).readRef(pullHeadRef(pull.number)),
  ]);
  const names = new Set([...bases, ...from.map((pull) => pull.head.ref)]);
  const git = ports.git.repository(repositoryId);
  const renames = await ports.database.read((sql) => openRenames(sql, repositoryId));
  const tips = await inParallel([...names], async (name) => [
    name,
    await tipOf(git, await nameInGit(git, name, renames)),
  ]);
  return { into, from, bases, headRefs, tips };
}

async function addTips(
  pulls: readonly Pull[],
  { into, from, tips }: SeenRefs,
  commitQueries: CommitQueries,
): Promise<PullWithTips[]> {
  const [intoIds, fromIds] = [idsOf(into), idsOf(from)];
  const found = pulls.map((pull) => {
    const base = intoIds.has(pull.id) ? tips.get(pull.base.ref) : pull.base.sha;
    const head = fromIds.has(pull.id) ? tips.get(pull.head.ref) : pull.head.sha;
    return { pull, base, head, moved: head === pull.head.sha ? undefined : head };
  });
  for (const { pull, moved } of found) {
    if (moved) await commitQueries.fetchHead(pull.repositoryId, pull.head.repositoryId, moved);
  }
  // Pulls into one branch nearly always share the base commit, so its history is walked once for all of them.
  const grown = found.filter(({ pull, base }) => base !== undefined && base !== pull.base.sha);
  const sameMove = ({ pull, base }: (typeof grown)[number]): string =>
    `${pull.repositoryId} ${pull.base.sha} ${base}`;
  const mergedHeads = new Map<string, ReadonlyMap<ObjectId, ObjectId>>();
  for (const [move, group] of Map.groupBy(grown, sameMove)) {
    const [first] = group;
    if (!first?.base) continue;
    const requested = group.flatMap(({ pull, moved }) => [
      pull.head.sha,
      ...(moved ? [moved] : []),
    ]);
    const { repositoryId, base } = first.pull;
    mergedHeads.set(
      move,
      await commitQueries.mergedHeads(repositoryId, { old: base.sha, new: first.base }, requested),
    );
  }
  return Promise.all(
    found.map(async (one) => ({
      pull: one.pull,
      base: one.base ?? 'gone',
      head: one.head ?? 'gone',
      mergedHeads: mergedHeads.get(sameMove(one)) ?? new Map<ObjectId, ObjectId>(),
      size:
        one.moved && one.base
          ? await commitQueries.size(one.pull.repositoryId, one.base, one.moved)
          : undefined,
    })),
  );
}

function idsOf(pulls: readonly Pull[]): Set<number> {
  return new Set(pulls.map((pull) => pull.id));
}

/** The name of a branch whose renaming has happened in git, and not in the rows yet: its pulls are on the new one. */
async function nameInGit(
  git: GitRepository,
  name: string,
  renames: readonly BranchRename[],
): Promise<string> {
  const rename = renames.find(({ from }) => from === name);
  if (!rename || (await tipOf(git, rename.from)) === rename.tip) return name;
  return (await tipOf(git, rename.to)) === rename.tip ? rename.to : name;
}

async function tipOf(git: GitRepository, name: string): Promise<ObjectId | undefined> {
  const branch = parseBranchName(name);
  return branch && git.readRef(branchRef(branch));
}

async function inParallel<T, K, V>(
  items: readonly T[],
  ask: (item: T) => Promise<[K, V]>,
): Promise<Map<K, V>> {
  return new Map(await Promise.all(items.map(ask)));
}
