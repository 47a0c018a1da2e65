import { isDeepStrictEqual } from 'node:util';

import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { accountsById } from '../../accounts/account-store.ts';
import { serverSignature, signatureOf } from '../../accounts/signature.ts';
import { RefusalError, refuse, refuseMerge } from '../../errors/api-error.ts';
import { GitError } from '../../git/git-error.ts';
import {
  branchRef,
  type ObjectId,
  parseBranchName,
  pullHeadRef,
  noObject,
  type RefName,
} from '../../git/names.ts';
import type { RefMove } from '../../git/ref-update.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { AutoMerge, Pull } from '../../model/pull.ts';
import { fullName, type Repository } from '../../model/repository.ts';
import type { Ports } from '../../ports/ports.ts';
import { changeRefs, inMergeTurn, refuseRenamed } from '../../ref-updates/change-refs.ts';
import { syncPulls } from '../../ref-updates/complete-change.ts';
import { protectedMoveDenial } from '../../ref-updates/protection-checks.ts';
import { unlessDeleted } from '../../repositories/get-repository.ts';
import { authorizeRepository, mayPush } from '../../repositories/repository-access.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import {
  makeMergeCommits,
  type MergeMessageInput,
  type MergeMethod,
  type MergeOutcome,
  type MergeParts,
} from '../merge-methods.ts';
import { findPullById } from '../pull-store.ts';
import { refuseBlockedMerge, refuseDisabledMethod, refuseUnmergeable } from './merge-obstacles.ts';

interface MergePullInput {
  readonly pull: Pull;
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly method: MergeMethod;
  /** The head that the caller expects. */
  readonly sha: ObjectId | undefined;
  /** Set for a merge by auto-merge, which never uses an administrator's exemption from the rules of the base. */
  readonly autoMerge?: AutoMerge;
  readonly input: MergeMessageInput;
  /** Of the API, for the log. */
  readonly requestId?: string | undefined;
  readonly now: number;
  readonly offsetMinutes: number;
}

/** Attempts at a merge whose branches move concurrently, before the caller gets an error. */
const attemptsMax = 10;

/**
 * Merges a pull atomically in git and in its row (ref-updates/change-refs.ts), or refuses with a reason of errors/merge-refusals.ts:
 * here a disabled method, in `requireMergeable` by the rows, in `attemptMerge` by git, in `mergeInTurn` a head or base that moved in each attempt, in `recordIntentOrRefuse` of
 * change-refs.ts where another process merges it. Merges into one branch run one after the other, in the order of the requests. Returns the new tip of the base branch.
 */
export async function mergePull(ports: Ports, request: MergePullInput): Promise<ObjectId> {
  const { pull, repository } = request;
  try {
    refuseDisabledMethod(repository, request.method);
    return await inMergeTurn(ports, repository.id, pull.base.ref, () =>
      mergeInTurn(ports, request),
    );
  } catch (error) {
    logRefusal(ports.log, request, error);
    throw error;
  }
}

/** Several reasons have one message, so the caller cannot tell which it was. */
function logRefusal(log: Ports['log'], request: MergePullInput, error: unknown): void {
  if (!(error instanceof RefusalError) || error.refusal.kind !== 'not-mergeable') return;
  const { kind: _, ...reason } = error.refusal;
  const { repository, pull, caller, method, autoMerge, requestId } = request;
  const fields = {
    ...present({ requestId }),
    repository: fullName(repository),
    number: pull.number,
    login: caller.account.login,
    method,
    auto: autoMerge !== undefined,
    ...reason,
  };
  log.info(fields, 'merge refused');
}

async function mergeInTurn(ports: Ports, request: MergePullInput): Promise<ObjectId> {
  let outdatedBy: OutdatedBy = 'base-moved';
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const decision = await ports.database.read((sql) => requireMergeable(sql, request));
    const attempted = await attemptMerge(ports, { ...request, pull: decision.pull }, decision);
    if (attempted.kind === 'merged') return attempted.commit;
    outdatedBy = attempted.kind;
  }
  return refuseMerge(outdatedBy === 'head-moved' ? 'head-modified' : 'base-modified');
}

interface MergeDecision {
  readonly pull: Pull;
  readonly mustBeUpToDate: boolean;
}

/**
 * Decides by the current rows of the database whether the merge may be made: before git works on it, and again in the transaction that records it.
 * Other requests may have merged, closed or changed the pull, its repository's settings or the rules of its base meanwhile.
 */
async function requireMergeable(sql: Sql, request: MergePullInput): Promise<MergeDecision> {
  const found = await repositoriesById(sql, [request.repository.id]);
  const repository = found.get(request.repository.id);
  const pull = await findPullById(sql, request.pull.id);
  if (!repository || !pull) return refuse({ kind: 'not-found' });
  refuseDisabledMethod(repository, request.method);
  refuseUnmergeable(pull);
  if (pull.base.ref !== request.pull.base.ref) refuseMerge('base-modified');
  if (request.sha !== undefined && request.sha !== pull.head.sha) refuseMerge('head-modified');
  const { caller, autoMerge } = request;
  const isCurrent = repository.allowAutoMerge && isDeepStrictEqual(autoMerge, pull.autoMerge);
  if (autoMerge && !isCurrent) {
    refuse({ kind: 'conflict', message: 'Auto-merge was disabled or changed.' });
  }
  const isAutomatic = autoMerge !== undefined;
  return { pull, ...(await refuseBlockedMerge(sql, repository.id, pull, caller, isAutomatic)) };
}

/** What changed before the attempt was recorded, so that another is made; `decision-changed`: the rules, not the refs. */
type OutdatedBy = 'head-moved' | 'base-moved' | 'decision-changed';

class AttemptOutdated extends Error {
  readonly outdatedBy: OutdatedBy;

  constructor(outdatedBy: OutdatedBy) {
    super(outdatedBy);
    this.outdatedBy = outdatedBy;
  }
}

async function attemptMerge(
  ports: Ports,
  request: MergePullInput,
  { mustBeUpToDate }: MergeDecision,
): Promise<(MergeOutcome & { readonly kind: 'merged' }) | { readonly kind: OutdatedBy }> {
  const { pull, repository, caller, now } = request;
  const git = ports.git.repository(repository.id);
  const branch = parseBranchName(pull.base.ref);
  const baseSha = branch && (await git.readRef(branchRef(branch)));
  if (!branch || !baseSha) return refuseMissingBase(ports, request);
  const headRefs = await findHeadRefs(ports, pull);
  if (!headRefs) return { kind: 'head-moved' };
  if (mustBeUpToDate && !(await git.isAncestor(baseSha, pull.head.sha)))
    refuseMerge('head-outdated');
  const outcome = await commitsOrRefuse(ports, request, baseSha);
  const removal = await ports.database.read((sql) => removalOfHead(sql, pull, caller));
  const removed = removal ? [removal] : [];
  const result = await changeRefs(ports, {
    repositoryId: repository.id,
    refs: [{ ref: branchRef(branch), old: baseSha, new: outcome.commit }, ...removed],
    verified: new Map([...headRefs].filter(([ref]) => ref !== removal?.ref)),
    now,
    actorId: caller.account.id,
    merge: {
      pullId: pull.id,
      repositoryId: repository.id,
      byId: caller.account.id,
      at: now,
      commit: outcome.commit,
      headSha: pull.head.sha,
    },
    check: async (sql) => {
      await authorizeRepository(sql, caller, { id: repository.id }, mayPush);
      const current = await requireMergeable(sql, request);
      if (current.pull.head.sha !== pull.head.sha) throw new AttemptOutdated('head-moved');
      const removable = await removalOfHead(sql, current.pull, caller);
      if (
        (current.mustBeUpToDate && !mustBeUpToDate) ||
        (removable === undefined) !== (removal === undefined)
      ) {
        throw new AttemptOutdated('decision-changed');
      }
    },
  }).catch((error: unknown) => {
    if (error instanceof AttemptOutdated) return { kind: error.outdatedBy };
    throw error;
  });
  if (result.kind === 'updated') return outcome;
  if (result.kind === 'moved') {
    return { kind: result.ref === branchRef(branch) ? 'base-moved' : 'head-moved' };
  }
  // A name conflict: the base or the head was deleted meanwhile, and a ref above or below it created. The next attempt says so.
  return { kind: result.kind === 'name-conflict' ? 'base-moved' : result.kind };
}

/** The branch may have been renamed since the rows were read, or is being renamed: then the base is not missing. */
async function refuseMissingBase(ports: Ports, request: MergePullInput): Promise<never> {
  const branch = parseBranchName(request.pull.base.ref);
  await ports.database.read(async (sql) => {
    await requireMergeable(sql, request);
    if (branch) await refuseRenamed(sql, request.repository.id, [branchRef(branch)]);
  });
  return refuseMerge('base-branch-missing');
}

type HeadRefs = ReadonlyMap<RefName, ObjectId>;

/**
 * The refs that point to the head and must still do so when the base moves. For a branch in another repository this is
 * `refs/pull/N/head`, which is updated before a push is acknowledged. undefined if the branch had moved: the row has been updated
 * now, so the caller tries again.
 */
async function findHeadRefs(ports: Ports, pull: Pull): Promise<HeadRefs | undefined> {
  const { repositoryId, sha } = pull.head;
  const branch = parseBranchName(pull.head.ref);
  if (repositoryId === null || !branch) return refuseMerge('head-missing');
  const ref = branchRef(branch);
  const pullHead = pullHeadRef(pull.number);
  const work = async (): Promise<HeadRefs | undefined> => {
    const tip = await ports.git.repository(repositoryId).readRef(ref);
    const pullHeadTip = await ports.git.repository(pull.repositoryId).readRef(pullHead);
    if (tip !== sha || pullHeadTip !== sha) {
      await syncPulls(ports, repositoryId, [ref]);
      return undefined;
    }
    const refs = repositoryId === pull.repositoryId ? [ref, pullHead] : [pullHead];
    return new Map(refs.map((each) => [each, sha]));
  };
  return unlessDeleted(ports.database, repositoryId, work, () => refuseMerge('head-missing'));
}

async function commitsOrRefuse(
  ports: Ports,
  request: MergePullInput,
  baseSha: ObjectId,
): Promise<MergeOutcome & { readonly kind: 'merged' }> {
  const { method } = request;
  const git = ports.git.repository(request.repository.id);
  try {
    const outcome = await makeMergeCommits(git, method, await partsOf(ports, request, baseSha));
    if (outcome.kind === 'merged' && outcome.commit !== baseSha) return outcome;
    if (method === 'rebase') return refuseMerge('rebase-conflicts');
    return refuseMerge('conflicts');
  } catch (error) {
    if (error instanceof GitError && error.kind === 'limit') return refuseMerge('git-limit');
    throw error;
  }
}

async function partsOf(
  ports: Ports,
  request: MergePullInput,
  baseSha: ObjectId,
): Promise<MergeParts> {
  const { pull, caller, now, offsetMinutes } = request;
  const authors = await ports.database.read((sql) => accountsById(sql, [pull.authorId]));
  const author = authors.get(pull.authorId) ?? caller.account;
  return {
    pull,
    baseSha,
    input: request.input,
    merger: signatureOf(caller.account, now, offsetMinutes),
    author: signatureOf(author, now, offsetMinutes),
    committer: serverSignature(now, offsetMinutes),
  };
}

/**
 * The deletion of a pull's head branch for `delete_branch_on_merge`. It is part of the merge's ref transaction, so that a
 * crash loses neither. undefined if the branch is in another repository, or the caller may not delete it.
 */
async function removalOfHead(
  sql: Sql,
  pull: Pull,
  caller: UserCaller,
): Promise<RefMove | undefined> {
  const { repositoryId, ref, sha } = pull.head;
  const branch = parseBranchName(ref);
  if (repositoryId !== pull.repositoryId || !branch) return undefined;
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  if (!repository?.deleteBranchOnMerge) return undefined;
  const deletion = { ref: branchRef(branch), how: 'deleted' } as const;
  if ((await protectedMoveDenial(sql, repositoryId, caller, deletion)) !== undefined) {
    return undefined;
  }
  return { ref: deletion.ref, old: sha, new: noObject };
}
