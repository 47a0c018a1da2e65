import type { Sql } from '#platform/database/database.ts';

import { fetchCommit } from '../../large-files/fetch-commit.ts';
import type { UserCaller } from '../../model/caller.ts';
import { serverSignature, signatureOf } from '../../accounts/signature.ts';
import { refuseProtectedMove } from '../../ref-updates/protection-checks.ts';
import { invalid, notFound, refuse } from '../../errors/api-error.ts';
import type { GitRepository } from '../../git/git.ts';
import { branchRef, type BranchName, type ObjectId, parseBranchName } from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { changeRefs } from '../../ref-updates/change-refs.ts';
import { unlessDeleted } from '../../repositories/get-repository.ts';
import {
  authorizeRepository,
  type ChangePolicy,
  mayRead,
  refuseArchived,
} from '../../repositories/repository-access.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { mayPushToHead } from '../branches-of-pull.ts';
import { updateMessage } from '../merge-methods.ts';
import type { Pull } from '../../model/pull.ts';
import { findPullById } from '../pull-store.ts';

/** Access to the repository of the pull. `requireUpdatable` checks write access to the head, which may be in another repository. */
export const mayUpdateHeads: ChangePolicy = { ...mayRead, changes: true };

export interface UpdatePullBranchInput {
  readonly pull: Pull;
  readonly caller: UserCaller;
  readonly expectedHeadSha: ObjectId | undefined;
  readonly now: number;
  readonly offsetMinutes: number;
}

/** Merges the tip of the base branch into the head branch (docs/specification/forge.md 12.5). */
export async function updatePullBranch(ports: Ports, update: UpdatePullBranchInput): Promise<void> {
  const pull = await ports.database.read((sql) => requireUpdatable(sql, update));
  await unlessDeleted(
    ports.database,
    pull.head.repositoryId,
    () => updateHead(ports, { ...update, pull }),
    refuseMissingHead,
  );
}

async function updateHead(
  ports: Ports,
  update: UpdatePullBranchInput & { readonly pull: PullWithHead },
): Promise<void> {
  const { pull, caller } = update;
  const head = await headBranchOf(ports, pull);
  if (update.expectedHeadSha !== undefined && update.expectedHeadSha !== head.sha) {
    refuseMovedHead();
  }
  const base = await baseOf(ports, pull);
  // The commits of the base must be in the head repository before they can be a parent there.
  if (head.git.id !== base.git.id) {
    await fetchCommit(ports, base.git.id, head.git.id, base.sha);
  }
  if (await head.git.isAncestor(base.sha, head.sha)) {
    unprocessable('There are no new commits on the base branch.');
  }
  const commit = await mergeInto(head, base.sha, update);
  const result = await changeRefs(ports, {
    repositoryId: head.git.id,
    refs: [{ ref: branchRef(head.branch), old: head.sha, new: commit }],
    now: update.now,
    actorId: caller.account.id,
    check: async (sql) => {
      const current = await requireUpdatable(sql, update);
      if (current.base.ref !== pull.base.ref) {
        unprocessable('The base branch of the pull request was changed. Try again.');
      }
    },
  });
  if (result.kind !== 'updated') refuseMovedHead();
}

export type PullWithHead = Pull & { readonly head: { readonly repositoryId: number } };

/**
 * Decides by the current rows whether the caller may update the head: before git works on it, and again in the transaction that
 * records the update.
 */
export async function requireUpdatable(
  sql: Sql,
  { pull, caller }: Pick<UpdatePullBranchInput, 'pull' | 'caller'>,
): Promise<PullWithHead> {
  await authorizeRepository(sql, caller, { id: pull.repositoryId }, mayUpdateHeads);
  const current = await findPullById(sql, pull.id);
  if (!current) return notFound();
  const { repositoryId, ref } = current.head;
  if (repositoryId !== null && !(await mayPushToHead(sql, caller, current))) {
    refuse({ kind: 'forbidden', message: 'Must have push access to the head repository.' });
  }
  if (current.state === 'closed') unprocessable('Pull request is closed.');
  if (repositoryId === null) return refuseMissingHead();
  const head = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  if (head?.archived === true) refuseArchived();
  const move = { ref: `refs/heads/${ref}`, how: 'fast-forward' } as const;
  await refuseProtectedMove(sql, repositoryId, caller, move);
  return { ...current, head: { ...current.head, repositoryId } };
}

export interface Branch {
  readonly git: GitRepository;
  readonly branch: BranchName;
  readonly sha: ObjectId;
}

export async function headBranchOf(ports: Ports, pull: PullWithHead): Promise<Branch> {
  const branch = parseBranchName(pull.head.ref);
  const git = ports.git.repository(pull.head.repositoryId);
  const sha = branch && (await git.readRef(branchRef(branch)));
  if (!branch || !sha) return refuseMissingHead();
  return { git, branch, sha };
}

async function baseOf(ports: Ports, pull: Pull): Promise<Branch> {
  const branch = parseBranchName(pull.base.ref);
  const git = ports.git.repository(pull.repositoryId);
  const sha = branch && (await git.readRef(branchRef(branch)));
  if (!branch || !sha) return unprocessable('base ref does not exist');
  return { git, branch, sha };
}

async function mergeInto(
  head: Branch,
  baseSha: ObjectId,
  update: UpdatePullBranchInput,
): Promise<ObjectId> {
  const merged = await head.git.mergeTrees(head.sha, baseSha);
  if (merged.kind !== 'clean') return unprocessable('merge conflict between base and head');
  const { caller, now, offsetMinutes, pull } = update;
  return head.git.writeCommit({
    tree: merged.tree,
    parents: [head.sha, baseSha],
    author: signatureOf(caller.account, now, offsetMinutes),
    committer: serverSignature(now, offsetMinutes),
    message: updateMessage(pull),
  });
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}

export function refuseMissingHead(): never {
  return unprocessable('head ref does not exist');
}

/** 422 (docs/specification/forge.md 12.5) in the shape of docs/specification/forge.md 4.3, with GitHub's message. */
function refuseMovedHead(): never {
  return invalid({
    resource: 'PullRequest',
    field: 'expected_head_sha',
    code: 'custom',
    message: 'expected head sha didn’t match current head ref.',
  });
}
