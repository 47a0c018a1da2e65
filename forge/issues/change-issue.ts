import { notFound, invalid } from '../errors/api-error.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import { findMilestone, milestonesOfIssues } from '../milestones/milestone-store.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Issue, IssueChange } from '../model/issue.ts';
import { atLeast, type Permission } from '../model/permission.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { replaceAssignees } from './change-assignees.ts';
import { replaceLabels } from './change-labels.ts';
import { moveToMilestone } from './issue-change-store.ts';
import type { SetAttributesInput } from './issue-input.ts';
import { findIssue } from './issue-store.ts';

/** Runs a change of the issue with this number in one transaction; refuses anonymous callers and unknown numbers. */
export async function changeIssue<T>(
  { database }: Pick<Ports, 'database'>,
  repository: Repository,
  request: {
    readonly path: { readonly issue_number: number };
    readonly caller: UserCaller;
    readonly now: number;
  },
  change: (sql: RepositoryWrite, change: IssueChange, issue: Issue) => Promise<T>,
): Promise<T> {
  const { caller, path, now } = request;
  const actorId = caller.account.id;
  return writeRepository(database, repository.id, async (sql) => {
    const issue = await findIssue(sql, repository.id, path.issue_number);
    if (!issue) return notFound();
    return change(sql, { issueId: issue.id, repositoryId: repository.id, actorId, now }, issue);
  });
}

/**
 * Sets the requested labels, assignees and milestone of an issue. As on GitHub, these fields are ignored for callers
 * without the triage permission; the rest of the request is processed.
 */
export async function setAttributes(
  sql: RepositoryWrite,
  change: IssueChange,
  input: SetAttributesInput,
  authorId: number,
  permission: Permission,
): Promise<void> {
  if (!atLeast(permission, 'triage')) return;
  if (input.labels) {
    const mayCreate = atLeast(permission, 'write');
    await replaceLabels(sql, change, { names: input.labels, mayCreate });
  }
  if (input.assignees) await replaceAssignees(sql, change, authorId, input.assignees);
  if (input.milestone !== undefined) await setMilestone(sql, change, input.milestone);
}

async function setMilestone(
  sql: RepositoryWrite,
  change: IssueChange,
  number: number | null,
): Promise<void> {
  const before = (await milestonesOfIssues(sql, [change.issueId])).get(change.issueId);
  const after = number === null ? undefined : await findMilestone(sql, change.repositoryId, number);
  if (number !== null && !after) {
    invalid({ value: number, resource: 'Issue', field: 'milestone', code: 'invalid' });
  }
  await moveToMilestone(sql, before, after, change);
}
