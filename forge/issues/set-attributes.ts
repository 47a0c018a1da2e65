import { atLeast, type Permission } from '../model/permission.ts';
import { invalid } from '../errors/api-error.ts';
import { findMilestone, milestonesOfIssues } from '../milestones/milestone-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { replaceAssignees } from './change-assignees.ts';
import { replaceLabels } from './change-labels.ts';
import type { SetAttributesInput } from './issue-input.ts';
import { moveToMilestone } from './issue-change-store.ts';
import type { IssueChange } from '../model/issue.ts';

/**
 * Sets the requested labels, assignees and milestone of an issue. As on GitHub, these members are ignored for callers
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
