import { representAccount } from '../accounts/account-json.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { representMarkup } from '../http/markup.ts';
import type { Format } from '../http/media-types.ts';
import { nodeId } from '../json/node-id.ts';
import type { AuthorAssociation } from '../repositories/association-store.ts';
import { fullName } from '../model/repository.ts';
import type { ReactionCounts } from '../model/reaction.ts';
import { representReactionCounts } from '../reactions/reaction-json.ts';
import type { Urls } from '../json/urls.ts';
import { type AttributeRelations, representAttributes } from './issue-attributes.ts';
import type { Issue } from '../model/issue.ts';

type Representation = { [field: string]: Json };

/** Other resources that the representation of an issue embeds. */
export interface IssueRelations extends AttributeRelations {
  readonly associations: ReadonlyMap<number, AuthorAssociation>;
  readonly reactions: ReadonlyMap<number, ReactionCounts>;
}

/** The representation of an issue in lists; for a pull it contains the URLs of the pull. */
export function representIssueSummary(
  issue: Issue,
  relations: IssueRelations,
  format: Format,
  urls: Urls,
): Representation {
  const name = fullName(relations.repository);
  const url = urls.issue(name, issue.number);
  const { assignee, assignees, labels, milestone } = representAttributes(issue.id, relations, urls);
  return {
    url,
    repository_url: urls.repository(name),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: issueHtml(issue, name, urls),
    id: issue.id,
    node_id: nodeId(issue.pull ? 'PullRequest' : 'Issue', issue.id),
    number: issue.number,
    title: issue.title,
    user: representKnown(issue.authorId, relations, urls),
    labels,
    state: issue.state,
    state_reason: issue.stateReason,
    locked: issue.locked,
    assignee,
    assignees,
    milestone,
    comments: issue.comments,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: timestamp(issue.closedAt),
    author_association: relations.associations.get(issue.authorId) ?? 'NONE',
    active_lock_reason: issue.lockReason,
    ...(issue.pull
      ? { pull_request: representPullLinks(issue, issue.pull.mergedAt, name, urls) }
      : {}),
    ...representMarkup(issue.body, format),
    reactions: representReactionCounts(relations.reactions.get(issue.id), url),
    performed_via_github_app: null,
  };
}

/** The detailed representation of an issue. */
export function representIssue(
  issue: Issue,
  relations: IssueRelations,
  format: Format,
  urls: Urls,
): Representation {
  return {
    ...representIssueSummary(issue, relations, format, urls),
    closed_by: representKnown(issue.closedById, relations, urls),
  };
}

/** The URL of the issue's web page. */
export function issueHtml(
  issue: Pick<Issue, 'number' | 'pull'>,
  repositoryName: string,
  urls: Urls,
): string {
  return issue.pull
    ? urls.pullHtml(repositoryName, issue.number)
    : urls.issueHtml(repositoryName, issue.number);
}

function representPullLinks(
  issue: Issue,
  mergedAt: number | null,
  repositoryName: string,
  urls: Urls,
): Representation {
  const html = urls.pullHtml(repositoryName, issue.number);
  return {
    url: urls.pull(repositoryName, issue.number),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    merged_at: timestamp(mergedAt),
  };
}

function representKnown(accountId: number | null, relations: IssueRelations, urls: Urls): Json {
  const account = accountId === null ? undefined : relations.accounts.get(accountId);
  return account ? representAccount(account, urls) : null;
}
