import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import { representTeam } from '../teams/team-json.ts';
import type { Team } from '../model/team.ts';
import type { Urls } from '../json/urls.ts';
import type { IssueEvent, IssueHappening } from '../model/issue-event.ts';

type Representation = { [member: string]: Json };

/** Accounts and teams that representations of events embed, each by its id. */
export interface PeopleOfEvents {
  readonly accounts: ReadonlyMap<number, Account>;
  readonly teams: ReadonlyMap<number, Team>;
}

/** The event as the list of its issue has it. `commit_id` is the commit that a merge made, or that closed it. */
export function representEvent(
  event: IssueEvent,
  people: PeopleOfEvents,
  repositoryName: string,
  urls: Urls,
): Representation {
  const { accounts } = people;
  const { happening } = event;
  const commit = 'commit' in happening ? happening.commit : null;
  const actor = representKnown(event.actorId, accounts, urls);
  return {
    id: event.id,
    node_id: nodeId(nodeType(happening.event), event.id),
    url: urls.issueEvent(repositoryName, event.id),
    actor,
    event: happening.event,
    commit_id: commit,
    commit_url: commit === null ? null : urls.commit(repositoryName, commit),
    created_at: timestamp(event.createdAt),
    ...representDetails(happening, actor, people, urls),
    performed_via_github_app: null,
  };
}

/** The accounts that the representation of an event embeds. */
export function accountsInEvent(event: IssueEvent): number[] {
  const { actorId, happening } = event;
  return [
    ...(actorId === null ? [] : [actorId]),
    ...('assigneeId' in happening ? [happening.assigneeId] : []),
    ...('reviewerId' in happening ? [happening.reviewerId] : []),
  ];
}

/** The teams that it embeds. */
export function teamsInEvent({ happening }: IssueEvent): number[] {
  return 'teamId' in happening ? [happening.teamId] : [];
}

function representDetails(
  happening: IssueHappening,
  actor: Json,
  { accounts, teams }: PeopleOfEvents,
  urls: Urls,
): Representation {
  switch (happening.event) {
    case 'labeled':
    case 'unlabeled':
      return { label: { name: happening.label.name, color: happening.label.color } };
    case 'assigned':
    case 'unassigned': {
      const assignee = representKnown(happening.assigneeId, accounts, urls);
      return { assignee, assigner: actor };
    }
    case 'milestoned':
    case 'demilestoned':
      return { milestone: { title: happening.milestoneTitle } };
    case 'renamed':
      return { rename: { from: happening.from, to: happening.to } };
    case 'locked':
      return { lock_reason: happening.reason };
    case 'review_requested':
    case 'review_request_removed': {
      const { reviewerId, teamId } = happening;
      const team = teamId === undefined ? undefined : teams.get(teamId);
      return {
        review_requester: actor,
        ...(reviewerId === undefined
          ? {}
          : { requested_reviewer: representKnown(reviewerId, accounts, urls) }),
        ...(team ? { requested_team: representTeam(team, urls) } : {}),
      };
    }
    case 'merged':
    case 'closed':
    case 'reopened':
    case 'unlocked':
    case 'ready_for_review':
    case 'convert_to_draft':
      return {};
  }
}

/** `LabeledEvent`, as the types of events are called. */
function nodeType(event: IssueHappening['event']): string {
  const words = event.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

function representKnown(
  accountId: number | null,
  accounts: ReadonlyMap<number, Account>,
  urls: Urls,
): Json {
  const account = accountId === null ? undefined : accounts.get(accountId);
  return account ? representAccount(account, urls) : null;
}
