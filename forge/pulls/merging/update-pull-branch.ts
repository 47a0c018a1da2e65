import type { UserCaller } from '../../model/caller.ts';
import { serverSignature, signatureOf } from '../../accounts/signature.ts';
import { refuseProtectedMove } from '../../ref-updates/merge-block.ts';
import { invalid, refuse } from '../../errors/api-error.ts';
import type { GitRepository } from '../../git/git.ts';
import { branchRef, type BranchName, type ObjectId, parseBranchName } from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { changeRefs } from '../../ref-updates/change-refs.ts';
import { mayPushToHead } from '../head-access.ts';
import { updateMessage } from '../merge-message.ts';
import type { Pull } from '../../model/pull.ts';

export interface BranchUpdate {
  readonly pull: Pull;
  readonly caller: UserCaller;
  readonly expectedHeadSha: string | undefined;
  readonly now: number;
  readonly offsetMinutes: number;
}

/** Merges the tip of the base branch into the head branch (forge 12.5). */
export async function updatePullBranch(ports: Ports, update: BranchUpdate): Promise<void> {
  const { pull, caller } = update;
  if (!(await ports.database.read((sql) => mayPushToHead(sql, caller, pull)))) {
    refuse({ kind: 'forbidden', message: 'Must have push access to the head repository.' });
  }
  if (pull.state === 'closed') unprocessable('Pull request is closed.');
  if (update.expectedHeadSha !== undefined && update.expectedHeadSha !== pull.head.sha) {
    refuseMovedHead();
  }
  const head = await headOf(ports, pull);
  const base = await baseOf(ports, pull);
  // The commits of the base must be in the head repository before they can be a parent there.
  if (head.git.id !== base.git.id) await head.git.fetchObjects(base.git.id, [base.sha]);
  if (await head.git.isAncestor(base.sha, head.sha)) {
    unprocessable('There are no new commits on the base branch.');
  }
  const commit = await mergeInto(head, base.sha, update);
  const result = await changeRefs(ports, {
    repositoryId: head.git.id,
    refs: [{ ref: branchRef(head.branch), old: head.sha, new: commit }],
    now: update.now,
    actorId: caller.account.id,
    guard: (sql) =>
      refuseProtectedMove(sql, head.git.id, caller, {
        ref: branchRef(head.branch),
        how: 'fast-forward',
      }),
  });
  if (result.kind !== 'updated') refuseMovedHead();
}

interface Branch {
  readonly git: GitRepository;
  readonly branch: BranchName;
  readonly sha: ObjectId;
}

async function headOf(ports: Ports, pull: Pull): Promise<Branch> {
  const branch = parseBranchName(pull.head.ref);
  const git =
    pull.head.repositoryId === null ? undefined : ports.git.repository(pull.head.repositoryId);
  const sha = branch && (await git?.readRef(branchRef(branch)));
  if (!git || !branch || !sha) return unprocessable('head ref does not exist');
  return { git, branch, sha };
}

async function baseOf(ports: Ports, pull: Pull): Promise<Branch> {
  const branch = parseBranchName(pull.base.ref);
  const git = ports.git.repository(pull.repositoryId);
  const sha = branch && (await git.readRef(branchRef(branch)));
  if (!branch || !sha) return unprocessable('base ref does not exist');
  return { git, branch, sha };
}

async function mergeInto(head: Branch, baseSha: ObjectId, update: BranchUpdate): Promise<ObjectId> {
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

/** 422 (forge 12.5) in the shape of forge 4.3, with GitHub's message. */
function refuseMovedHead(): never {
  return invalid({
    resource: 'PullRequest',
    field: 'expected_head_sha',
    code: 'custom',
    message: 'expected head sha didn’t match current head ref.',
  });
}
