import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import { type BranchName, branchRef, type ObjectId, parseBranchName } from '../git/names.ts';
import type { GitRepository } from '../git/git.ts';
import { fetchCommit } from '../large-files/fetch-commit.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { type SigningTime, signAs, signAsServer } from '../repositories/commit-people.ts';
import { permissionsIn } from '../repositories/repository-access.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { inMergeTurn } from './change-refs.ts';
import { attemptsMax, moveRef } from './move-ref.ts';

export interface UpstreamMerge {
  readonly fork: Repository;
  readonly caller: UserCaller;
  readonly branch: string;
  readonly signingTime: SigningTime;
}

export interface MergedUpstream {
  readonly how: 'merge' | 'fast-forward' | 'none';
  readonly parent: Repository;
  readonly branch: BranchName;
}

/** Brings a branch of a fork up to date with the branch of the same name in its parent. */
export async function mergeUpstream(ports: Ports, merge: UpstreamMerge): Promise<MergedUpstream> {
  const { fork, caller } = merge;
  const parent = await ports.database.read((sql) => readableParent(sql, fork, caller));
  const branch = parseBranchName(merge.branch);
  if (!branch) return refuseBranch(merge.branch, fork);
  const upstream = await unlessDeleted(
    ports.database,
    parent.id,
    () => ports.git.repository(parent.id).readRef(branchRef(branch)),
    refuseUpstream,
  );
  if (!upstream) return refuseBranch(branch, parent);
  const how = await inMergeTurn(ports, fork.id, branch, () =>
    mergeInTurn(ports, merge, { parent, branch, upstream }),
  );
  return { how, parent, branch };
}

/** What the caller may not read is no upstream. */
async function readableParent(
  sql: Sql,
  { parentId }: Repository,
  caller: UserCaller,
): Promise<Repository> {
  if (parentId === null) return refuseUpstream();
  const permissions = await permissionsIn(sql, caller, [parentId]);
  if (!atLeast(permissions.get(parentId) ?? 'none', 'read')) return refuseUpstream();
  return (await repositoriesById(sql, [parentId])).get(parentId) ?? refuseUpstream();
}

function refuseUpstream(): never {
  const message = 'There is no upstream: the repository is not a fork of one that you can read.';
  return refuse({ kind: 'unprocessable', message });
}

interface Upstream {
  readonly parent: Repository;
  readonly branch: BranchName;
  readonly upstream: ObjectId;
}

async function mergeInTurn(
  ports: Ports,
  merge: UpstreamMerge,
  { parent, branch, upstream }: Upstream,
): Promise<MergedUpstream['how']> {
  const { fork, caller, signingTime } = merge;
  const git = ports.git.repository(fork.id);
  // The turn may have come long after the request.
  const check = (sql: Sql): Promise<Repository> => readableParent(sql, fork, caller);
  await ports.database.read(check);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const own = await git.readRef(branchRef(branch));
    if (!own) return refuseBranch(branch, fork);
    if (own === upstream) return 'none';
    await unlessDeleted(
      ports.database,
      parent.id,
      () => fetchCommit(ports, parent.id, fork.id, upstream),
      refuseUpstream,
    );
    if (await git.isAncestor(upstream, own)) return 'none';
    const forward = await git.isAncestor(own, upstream);
    const tip = forward
      ? upstream
      : await mergeCommit(git, merge, own, { parent, branch, upstream });
    const move = { repositoryId: fork.id, caller, ref: branchRef(branch), old: own, new: tip };
    const moved = await moveRef(ports, { ...move, now: signingTime.now, check });
    if (moved.kind === 'updated') return forward ? 'fast-forward' : 'merge';
  }
  return refuse({ kind: 'conflict', message: 'The branch was modified. Try the merge again.' });
}

async function mergeCommit(
  git: GitRepository,
  { caller, signingTime }: UpstreamMerge,
  own: ObjectId,
  { parent, branch, upstream }: Upstream,
): Promise<ObjectId> {
  const merged = await git.mergeTrees(own, upstream);
  if (merged.kind !== 'clean') {
    return refuse({ kind: 'conflict', message: 'There are merge conflicts' });
  }
  return git.writeCommit({
    tree: merged.tree,
    parents: [own, upstream],
    author: signAs(caller.account, signingTime),
    committer: signAsServer(signingTime),
    message: `Merge branch '${parent.owner.login}:${branch}' into ${branch}`,
  });
}

function refuseBranch(branch: string, repository: Repository): never {
  const message = `There is no branch ${branch} in ${fullName(repository)}.`;
  return refuse({ kind: 'unprocessable', message });
}
