import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../accounts/account-json.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { representLabel } from '../labels/label-json.ts';
import { labelsOfIssues } from '../labels/label-store.ts';
import { representMilestone } from '../milestones/milestone-json.ts';
import { milestonesOfIssues } from '../milestones/milestone-store.ts';
import type { Account } from '../model/account.ts';
import type { Label } from '../model/label.ts';
import type { Milestone } from '../model/milestone.ts';
import { fullName, type Repository } from '../model/repository.ts';
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

export interface AttributeRelations {
  readonly repository: Repository;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly attributes: IssueAttributes;
}

/** The fields that an issue and the pull of the same id have in common. `assignee` is the first of `assignees`. */
export function representAttributes(
  issueId: number,
  { repository, accounts, attributes }: AttributeRelations,
  urls: Urls,
): { assignee: Json; assignees: Json[]; labels: Json[]; milestone: Json } {
  const name = fullName(repository);
  const milestone = attributes.milestones.get(issueId);
  const assignees = (attributes.assigneeIds.get(issueId) ?? []).flatMap((id) => {
    const account = accounts.get(id);
    return account ? [representAccount(account, urls)] : [];
  });
  return {
    assignee: assignees[0] ?? null,
    assignees,
    labels: (attributes.labels.get(issueId) ?? []).map((label) =>
      representLabel(label, name, urls),
    ),
    milestone: milestone
      ? representMilestone(milestone, accounts.get(milestone.creatorId), name, urls)
      : null,
  };
}
