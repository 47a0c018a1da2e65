import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { Milestone } from '../model/milestone.ts';

/** A milestone (docs/specification/forge.md 9.9). */
export function representMilestone(
  milestone: Milestone,
  creator: Account | undefined,
  repositoryName: string,
  urls: Urls,
): { [field: string]: Json } {
  const url = urls.milestone(repositoryName, milestone.number);
  return {
    url,
    html_url: urls.milestoneHtml(repositoryName, milestone.number),
    labels_url: `${url}/labels`,
    id: milestone.id,
    node_id: nodeId('Milestone', milestone.id),
    number: milestone.number,
    title: milestone.title,
    description: milestone.description,
    creator: creator ? representAccount(creator, urls) : null,
    open_issues: milestone.openIssues,
    closed_issues: milestone.closedIssues,
    state: milestone.state,
    created_at: timestamp(milestone.createdAt),
    updated_at: timestamp(milestone.updatedAt),
    due_on: timestamp(milestone.dueAt),
    closed_at: timestamp(milestone.closedAt),
  };
}
