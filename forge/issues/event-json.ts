import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import { representTeam } from '../teams/team-json.ts';
import type { Team } from '../model/team.ts';
import type { Urls } from '../json/urls.ts';
import { type IssueEvent, type IssueEventDetails, issueEventTypes } from '../model/issue-event.ts';

type Representation = { [field: string]: Json };

/** Accounts and teams that representations of events embed, by id. */
export interface PeopleOfEvents {
  readonly accounts: ReadonlyMap<number, Account>;
  readonly teams: ReadonlyMap<number, Team>;
}

/** The representation in the list of the issue. `commit_id` is the merge commit, or the commit that closed the issue. */
export function representEvent(
  event: IssueEvent,
  people: PeopleOfEvents,
  repositoryName: string,
  urls: Urls,
): Representation {
  const { accounts } = people;
  const { eventDetails: details } = event;
  const commit = 'commit' in details ? details.commit : null;
  const actor = representKnown(event.actorId, accounts, urls);
  return {
    id: event.id,
    node_id: nodeId(issueEventTypes[details.event], event.id),
    url: urls.issueEvent(repositoryName, event.id),
    actor,
    event: details.event,
    commit_id: commit,
    commit_url: commit === null ? null : urls.commit(repositoryName, commit),
    created_at: timestamp(event.createdAt),
    ...representDetails(details, actor, people, urls),
    performed_via_github_app: null,
  };
}

/** The accounts that the representation of an event embeds. */
export function accountsInEvent(event: IssueEvent): number[] {
  const { actorId, eventDetails: details } = event;
  return [
    ...(actorId === null ? [] : [actorId]),
    ...('assigneeId' in details ? [details.assigneeId] : []),
    ...('reviewerId' in details ? [details.reviewerId] : []),
  ];
}

/** The teams that it embeds. */
export function teamsInEvent({ eventDetails: details }: IssueEvent): number[] {
  return 'teamId' in details ? [details.teamId] : [];
}

function representDetails(
  details: IssueEventDetails,
  actor: Json,
  { accounts, teams }: PeopleOfEvents,
  urls: Urls,
): Representation {
  switch (details.event) {
    case 'labeled':
    case 'unlabeled':
      return { label: { name: details.label.name, color: details.label.color } };
    case 'assigned':
    case 'unassigned': {
      const assignee = representKnown(details.assigneeId, accounts, urls);
      return { assignee, assigner: actor };
    }
    case 'milestoned':
    case 'demilestoned':
      return { milestone: { title: details.milestoneTitle } };
    case 'renamed':
      return { rename: { from: details.from, to: details.to } };
    case 'locked':
      return { lock_reason: details.reason };
    case 'review_requested':
    case 'review_request_removed': {
      const { reviewerId, teamId } = details;
      const team = teamId === undefined ? undefined : teams.get(teamId);
      return {
        review_requester: actor,
        ...(reviewerId === undefined
          ? {}
          : { requested_reviewer: representKnown(reviewerId, accounts, urls) }),
        ...(team ? { requested_team: representTeam(team, urls) } : {}),
      };
    }
    case 'closed':
      return { state_reason: details.reason ?? null };
    case 'merged':
    case 'reopened':
    case 'unlocked':
    case 'pinned':
    case 'unpinned':
    // Its former repository may be hidden from those who can read it now.
    case 'transferred':
    case 'ready_for_review':
    case 'convert_to_draft':
      return {};
  }
}

function representKnown(
  accountId: number | null,
  accounts: ReadonlyMap<number, Account>,
  urls: Urls,
): Json {
  const account = accountId === null ? undefined : accounts.get(accountId);
  return account ? representAccount(account, urls) : null;
}
