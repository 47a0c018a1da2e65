import { accountsById } from '../accounts/account-store.ts';
import type { UserCaller } from '../access/caller.ts';
import { admit, mayPush } from '../access/repository-access.ts';
import { serverSignature, signatureOf } from '../accounts/signature.ts';
import { refuseBlockedMerge } from '../branches/protection.ts';
import { refuse } from '../conventions/refusal.ts';
import { branchRef, type ObjectId, parseBranchName } from '../git/names.ts';
import type { Ports } from '../ports.ts';
import { changeRefs } from '../ref-changes/change-refs.ts';
import type { Repository } from '../repositories/repository.ts';
import { deleteMergedHead } from './delete-merged-head.ts';
import type { MessageWish } from './merge-message.ts';
import {
  makeMerge,
  makeRebase,
  makeSquash,
  type MergeMethod,
  type MergeOutcome,
  type MergeParts,
} from './merge-methods.ts';
import { findPullById } from './pull-store.ts';
import { mergeability, type Pull } from './pull.ts';

export interface MergeRequest {
  readonly pull: Pull;
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly method: MergeMethod;
  /** The head that the caller looked at. */
  readonly sha: ObjectId | undefined;
  readonly wish: MessageWish;
  readonly now: number;
  readonly offsetMinutes: number;
}

/** A base branch that moves under a merge is tried again so many times before the caller is told. */
const attemptsMax = 5;

const makers: Readonly<
  Record<
    MergeMethod,
    (git: ReturnType<Ports['git']['repository']>, parts: MergeParts) => Promise<MergeOutcome>
  >
> = { merge: makeMerge, squash: makeSquash, rebase: makeRebase };

/**
 * Merges a pull: in git and in its row as one thing (ref-changes/change-refs.ts), or refuses with the reason.
 * Returns the commit the base branch now has.
 */
export async function mergePull(ports: Ports, request: MergeRequest): Promise<ObjectId> {
  const { pull, repository } = request;
  refuseDisabledMethod(repository, request.method);
  refuseUnmergeable(pull);
  if (request.sha !== undefined && request.sha !== pull.head.sha) refuseMovedHead();
  const { mustBeUpToDate } = await ports.database.read((sql) =>
    refuseBlockedMerge(sql, repository.id, pull, request.caller),
  );
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const commit = await attemptMerge(ports, request, mustBeUpToDate);
    if (commit === undefined) continue;
    if (repository.deleteBranchOnMerge)
      await deleteMergedHead(ports, pull, request.caller.account.id, request.now);
    return commit;
  }
  return refuse({
    kind: 'not-mergeable',
    message: 'Base branch was modified. Review and try the merge again.',
  });
}

/** undefined when the base branch moved between looking and writing. */
async function attemptMerge(
  ports: Ports,
  request: MergeRequest,
  mustBeUpToDate: boolean,
): Promise<ObjectId | undefined> {
  const { pull, repository, method, now } = request;
  const branch = parseBranchName(pull.base.ref);
  const git = ports.git.repository(repository.id);
  const baseSha = branch && (await git.readRef(branchRef(branch)));
  if (!branch || !baseSha) return refuse({ kind: 'not-mergeable' });
  if (mustBeUpToDate && !(await git.isAncestor(baseSha, pull.head.sha))) refuseOutdatedHead();
  const outcome = await makers[method](git, await partsOf(ports, request, baseSha));
  if (outcome.kind === 'conflict' || outcome.commit === baseSha) {
    const message = method === 'rebase' ? "This branch can't be rebased" : undefined;
    return refuse({ kind: 'not-mergeable', ...(message === undefined ? {} : { message }) });
  }
  const result = await changeRefs(ports, {
    repositoryId: repository.id,
    refs: [{ ref: branchRef(branch), old: baseSha, new: outcome.commit }],
    now,
    actorId: request.caller.account.id,
    merge: {
      pullId: pull.id,
      repositoryId: repository.id,
      byId: request.caller.account.id,
      at: now,
      commit: outcome.commit,
      headSha: pull.head.sha,
    },
    guard: async (sql) => {
      await admit(sql, request.caller, { id: repository.id }, mayPush);
      const current = await findPullById(sql, pull.id);
      if (!current) return refuse({ kind: 'not-found' });
      refuseUnmergeable(current);
      if (current.head.sha !== pull.head.sha) refuseMovedHead();
      if (current.base.ref !== pull.base.ref) refuse({ kind: 'not-mergeable' });
      await refuseBlockedMerge(sql, repository.id, current, request.caller);
    },
  });
  return result.kind === 'updated' ? outcome.commit : undefined;
}

async function partsOf(
  ports: Ports,
  request: MergeRequest,
  baseSha: ObjectId,
): Promise<MergeParts> {
  const { pull, caller, now, offsetMinutes } = request;
  const authors = await ports.database.read((sql) => accountsById(sql, [pull.authorId]));
  const author = authors.get(pull.authorId) ?? caller.account;
  return {
    pull,
    baseSha,
    wish: request.wish,
    merger: signatureOf(caller.account, now, offsetMinutes),
    author: signatureOf(author, now, offsetMinutes),
    committer: serverSignature(now, offsetMinutes),
  };
}

function refuseDisabledMethod(repository: Repository, method: MergeMethod): void {
  const rules = {
    merge: [repository.allowMergeCommit, 'Merge commits'],
    squash: [repository.allowSquashMerge, 'Squash merges'],
    rebase: [repository.allowRebaseMerge, 'Rebase merges'],
  } as const;
  const [allowed, name] = rules[method];
  if (!allowed) {
    refuse({ kind: 'not-mergeable', message: `${name} are not allowed on this repository.` });
  }
}

function refuseUnmergeable(pull: Pull): void {
  if (pull.merge || pull.state === 'closed') refuse({ kind: 'not-mergeable' });
  if (pull.draft) refuse({ kind: 'not-mergeable', message: 'Pull Request is still a draft' });
  if (mergeability(pull) === 'conflicting') refuse({ kind: 'not-mergeable' });
}

function refuseOutdatedHead(): never {
  return refuse({
    kind: 'not-mergeable',
    message: 'Head branch is out of date. Review and try the merge again.',
  });
}

function refuseMovedHead(): never {
  return refuse({
    kind: 'conflict',
    message: 'Head branch was modified. Review and try the merge again.',
  });
}
