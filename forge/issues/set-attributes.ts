import { atLeast, type Permission } from '../model/permission.ts';
import { invalid } from '../errors/api-error.ts';
import { findMilestone, milestonesOfIssues } from '../milestones/milestone-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { replaceAssignees } from './change-assignees.ts';
import { replaceLabels } from './change-labels.ts';
import type { AttributesWish } from './issue-input.ts';
import { moveToMilestone } from './issue-change-store.ts';
import type { IssueChange } from '../model/issue.ts';

/**
 * Gives an issue the labels, assignees and milestone that were asked for. Of callers who may not triage the wish is
 * passed over, as clients expect: the rest of what they said counts.
 */
export async function setAttributes(
  sql: RepositoryWrite,
  change: IssueChange,
  wish: AttributesWish,
  authorId: number,
  permission: Permission,
): Promise<void> {
  if (!atLeast(permission, 'triage')) return;
  if (wish.labels) {
    const mayCreate = atLeast(permission, 'write');
    await replaceLabels(sql, change, { names: wish.labels, mayCreate });
  }
  if (wish.assignees) await replaceAssignees(sql, change, authorId, wish.assignees);
  if (wish.milestone !== undefined) await setMilestone(sql, change, wish.milestone);
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
