import type { Sql } from '#platform/database/database.ts';

import { atLeast } from '../model/permission.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import { findAccount } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { emitIssueEvent } from './issue-event-store.ts';
import { assign, assigneesOfIssues, unassign } from './assignee-store.ts';
import { touchIssue } from './issue-change-store.ts';
import type { IssueChange } from '../model/issue.ts';

/** Assignees of an issue. */
export const assigneesMax = 10;

/** Assigns the users who can be assigned; as on GitHub, others are silently ignored. */
export async function addAssignees(
  sql: RepositoryWrite,
  change: IssueChange,
  authorId: number,
  logins: readonly string[],
): Promise<void> {
  for (const account of await peopleNamed(sql, logins)) {
    if (!(await mayBeAssigned(sql, change.repositoryId, authorId, account))) continue;
    await addAssignee(sql, change, account.id);
  }
}

export async function removeAssignees(
  sql: RepositoryWrite,
  change: IssueChange,
  logins: readonly string[],
): Promise<void> {
  for (const account of await peopleNamed(sql, logins)) {
    await removeAssignee(sql, change, account.id);
  }
}

/** Replaces the assignees of an issue by those of the users who can be assigned. */
export async function replaceAssignees(
  sql: RepositoryWrite,
  change: IssueChange,
  authorId: number,
  logins: readonly string[],
): Promise<void> {
  const wanted = new Set((await peopleNamed(sql, logins)).map((account) => account.id));
  const present = (await assigneesOfIssues(sql, [change.issueId])).get(change.issueId) ?? [];
  for (const id of present) if (!wanted.has(id)) await removeAssignee(sql, change, id);
  await addAssignees(sql, change, authorId, logins);
}

/** Users who may push to the repository, and the author of the issue. */
export async function mayBeAssigned(
  sql: Sql,
  repositoryId: number,
  authorId: number | undefined,
  account: Account,
): Promise<boolean> {
  if (account.kind !== 'user') return false;
  const permission = await accountPermissionIn(sql, account.id, repositoryId);
  return atLeast(permission, account.id === authorId ? 'read' : 'write');
}

async function addAssignee(
  sql: RepositoryWrite,
  change: IssueChange,
  accountId: number,
): Promise<void> {
  const present = (await assigneesOfIssues(sql, [change.issueId])).get(change.issueId) ?? [];
  if (present.length >= assigneesMax || present.includes(accountId)) return;
  await assign(sql, change.issueId, accountId);
  const assigneeId = accountId;
  await emitIssueEvent(sql, change, { event: 'assigned', assigneeId }, { assigneeId });
  await touchIssue(sql, change);
}

async function removeAssignee(
  sql: RepositoryWrite,
  change: IssueChange,
  accountId: number,
): Promise<void> {
  if (!(await unassign(sql, change.issueId, accountId))) return;
  const assigneeId = accountId;
  await emitIssueEvent(sql, change, { event: 'unassigned', assigneeId }, { assigneeId });
  await touchIssue(sql, change);
}

async function peopleNamed(sql: Sql, logins: readonly string[]): Promise<Account[]> {
  const people: Account[] = [];
  // Limits the number of lookups, because a request may name any number of users.
  for (const login of [...new Set(logins)].slice(0, assigneesMax * 2)) {
    const account = await findAccount(sql, login);
    if (account) people.push(account);
  }
  return people;
}
