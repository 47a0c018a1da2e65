import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import type { BranchName } from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Issue } from '../model/issue.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import type { Ports } from '../ports/ports.ts';
import { issuePermissionIn } from '../repositories/repository-access.ts';
import { issuesById } from './issue-store.ts';
import { deleteLinkedBranch, insertLinkedBranch, linkedBranchesOf } from './linked-branch-store.ts';

/** Linked branches of an issue. */
const linkedBranchesMax = 100;

interface OnIssue {
  readonly issueId: number;
  /** Where it is. */
  readonly repositoryId: number;
  readonly caller: UserCaller;
}

/** Refuses callers who may not link branches with the issue, and one more than it may have. */
export async function requireMayLink(
  { database }: Pick<Ports, 'database'>,
  on: OnIssue,
): Promise<void> {
  await database.read(async (sql) => {
    requirePush(on, await issuePermissionIn(sql, on.caller, on.repositoryId));
    if ((await linkedBranchesOf(sql, [on.issueId])).length < linkedBranchesMax) return;
    const message = `An issue can have at most ${linkedBranchesMax} linked branches.`;
    refuse({ kind: 'unprocessable', message });
  });
}

/** Links a branch with an issue and returns the id of the link. */
export async function linkBranch(
  { database }: Pick<Ports, 'database'>,
  on: OnIssue & { readonly branchOf: number; readonly branch: BranchName; readonly now: number },
): Promise<number> {
  return writeRepository(database, on.repositoryId, async (sql) => {
    await requireIssue(sql, on);
    const { issueId, branchOf, branch } = on;
    return insertLinkedBranch(sql, { issueId, repositoryId: branchOf, branch }, on.now);
  });
}

/** Takes the link away; the branch stays. */
export async function removeLink(
  { database }: Pick<Ports, 'database'>,
  on: OnIssue & { readonly linkId: number },
): Promise<void> {
  await writeRepository(database, on.repositoryId, async (sql) => {
    await requireIssue(sql, on);
    if (!(await deleteLinkedBranch(sql, on.linkId))) notFound();
  });
}

async function requireIssue(sql: RepositoryWrite, on: OnIssue): Promise<Issue> {
  requirePush(on, await issuePermissionIn(sql, on.caller, on.repositoryId));
  const issue = (await issuesById(sql, [on.issueId])).get(on.issueId);
  if (!issue || issue.pull || issue.repositoryId !== on.repositoryId) return notFound();
  return issue;
}

function requirePush({ caller }: OnIssue, permission: Permission): void {
  if (atLeast(permission, 'write')) return;
  const message = `${caller.account.login} does not have permission to link branches.`;
  refuse({ kind: 'forbidden', message });
}

/** `12-broken-hinge`: what a branch of an issue is called that is given no name. */
export function branchNameFor({ number, title }: Issue): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  // Of up to four bytes each; git stores a ref as a file, whose name is limited.
  const slug = Array.from(words.join('-')).slice(0, 50).join('').replace(/-$/, '');
  return slug === '' ? `issue-${number}` : `${number}-${slug}`;
}
