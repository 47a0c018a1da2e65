import type { Sql } from '#platform/database/database.ts';

import { labelsOfIssues } from '../labels/label-store.ts';
import type { Label } from '../model/label.ts';
import { milestonesOfIssues } from '../milestones/milestone-store.ts';
import type { Milestone } from '../model/milestone.ts';
import { assigneesOfIssues } from './assignee-store.ts';

/** Labels, assignees and milestones of issues and pulls, by the issue's id. */
export interface IssueAttributes {
  readonly labels: ReadonlyMap<number, readonly Label[]>;
  readonly assigneeIds: ReadonlyMap<number, readonly number[]>;
  readonly milestones: ReadonlyMap<number, Milestone>;
}

/** Reads the attributes of all issues in three statements. */
export async function attributesOf(
  sql: Sql,
  issueIds: readonly number[],
): Promise<IssueAttributes> {
  return {
    labels: await labelsOfIssues(sql, issueIds),
    assigneeIds: await assigneesOfIssues(sql, issueIds),
    milestones: await milestonesOfIssues(sql, issueIds),
  };
}

/** The accounts that representations of these attributes embed. */
export function accountsIn(attributes: IssueAttributes): number[] {
  return [
    ...[...attributes.assigneeIds.values()].flat(),
    ...[...attributes.milestones.values()].map((milestone) => milestone.creatorId),
  ];
}
