import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import type { Json } from '../json/json-values.ts';
import { representLabel } from '../labels/label-json.ts';
import { representMilestone } from '../milestones/milestone-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import type { IssueAttributes } from './issue-attributes.ts';

export interface AttributeRelations {
  readonly repository: Repository;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly attributes: IssueAttributes;
}

/** The members that an issue and the pull of the same id have in common. `assignee` is the first of `assignees`. */
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
