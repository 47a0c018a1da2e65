import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { teamsById } from '../teams/team-store.ts';
import type { Urls } from '../json/urls.ts';
import { loadIssueRelations } from './describe-issues.ts';
import { accountsInEvent, representEvent, teamsInEvent } from './event-json.ts';
import type { IssueEvent } from '../model/issue-event.ts';
import { representIssueSummary } from './issue-json.ts';
import { issuesById } from './issue-store.ts';

/** Events of one issue. */
export async function describeEvents(
  sql: Sql,
  repository: Repository,
  events: readonly IssueEvent[],
  urls: Urls,
): Promise<{ [field: string]: Json }[]> {
  const accounts = await accountsById(sql, events.flatMap(accountsInEvent));
  const teamIds = events.flatMap(teamsInEvent);
  const found = teamIds.length === 0 ? [] : await teamsById(sql, teamIds);
  // Secret teams are visible to their members only, and a reader of the issue may not be one.
  const known = found.filter((team) => team.privacy !== 'secret');
  const teams = new Map(known.map((team) => [team.id, team]));
  const name = fullName(repository);
  return events.map((event) => representEvent(event, { accounts, teams }, name, urls));
}

/** Events of several issues of the repository, each with its issue, in a fixed number of statements. */
export async function describeEventsWithIssues(
  sql: Sql,
  repository: Repository,
  events: readonly IssueEvent[],
  urls: Urls,
): Promise<Json[]> {
  const representation = await describeEvents(sql, repository, events, urls);
  const issues = await issuesById(
    sql,
    events.map((event) => event.issueId),
  );
  const relations = await loadIssueRelations(sql, repository, [...issues.values()]);
  return events.map((event, index) => {
    const issue = issues.get(event.issueId);
    return {
      ...representation[index],
      ...(issue ? { issue: representIssueSummary(issue, relations, 'json', urls) } : {}),
    };
  });
}
