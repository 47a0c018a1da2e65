import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ActionTarget, AttributeAction } from '../model/domain-event.ts';
import type { IssueEvent, IssueEventDetails } from '../model/issue-event.ts';
import type { IssueChange } from '../model/issue.ts';
import { isPull } from './issue-store.ts';

interface EventRow {
  id: number;
  issue_id: number;
  actor_id: number | null;
  event: IssueEventDetails['event'];
  details: string;
  created_at: number;
}

const columns = 'e.id, e.issue_id, e.actor_id, e.event, e.details, e.created_at';

/** Runs in the transaction of the change, so that every change is recorded. */
export async function recordEvent(
  sql: RepositoryWrite,
  change: IssueChange,
  eventDetails: IssueEventDetails,
): Promise<void> {
  const { event, ...details } = eventDetails;
  await sql.run(
    `insert into issue_events (issue_id, repository_id, actor_id, event, details, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    change.issueId,
    change.repositoryId,
    change.actorId,
    event,
    JSON.stringify(details),
    change.now,
  );
}

interface EventPage {
  readonly events: readonly IssueEvent[];
  readonly total: number;
}

/** The events of an issue, by default the oldest first. */
export async function eventsOfIssue(
  sql: Sql,
  issueId: number,
  page: PageBounds,
  direction: 'asc' | 'desc' = 'asc',
): Promise<EventPage> {
  return listEvents(sql, 'e.issue_id = $1', direction, issueId, page);
}

/** The events of all issues of a repository, newest first. */
export async function eventsOfRepository(
  sql: Sql,
  repositoryId: number,
  page: PageBounds,
): Promise<EventPage> {
  return listEvents(sql, 'e.repository_id = $1', 'desc', repositoryId, page);
}

export async function findEvent(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<IssueEvent | undefined> {
  const row = await sql.get<EventRow>(
    `select ${columns} from issue_events e where e.repository_id = $1 and e.id = $2`,
    repositoryId,
    id,
  );
  return row && eventFromRow(row);
}

/** Several by id, in one statement. */
export async function eventsById(sql: Sql, ids: readonly number[]): Promise<IssueEvent[]> {
  if (ids.length === 0) return [];
  const rows = await sql.all<EventRow>(
    `select ${columns} from issue_events e where e.id in (${placeholders(ids.length)})`,
    ...ids,
  );
  return rows.map(eventFromRow);
}

async function listEvents(
  sql: Sql,
  condition: string,
  direction: 'asc' | 'desc',
  value: number,
  page: PageBounds,
): Promise<EventPage> {
  const from = `issue_events e where ${condition}`;
  const list = { columns, from, values: [value], order: `e.id ${direction}` };
  const { rows, total } = await selectPage<EventRow>(sql, list, page);
  return { events: rows.map(eventFromRow), total };
}

function eventFromRow(row: EventRow): IssueEvent {
  const details: object = JSON.parse(row.details);
  return {
    id: row.id,
    issueId: row.issue_id,
    actorId: row.actor_id,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- recordEvent alone writes rows
    eventDetails: { event: row.event, ...details } as IssueEventDetails,
    createdAt: row.created_at,
  };
}

/** Writes an event to the timeline of an issue and to webhooks, there as an event of issues or of pull requests. */
export async function emitIssueEvent(
  sql: RepositoryWrite,
  change: IssueChange,
  details: Extract<IssueEventDetails, { event: AttributeAction }>,
  about: ActionTarget = {},
): Promise<void> {
  const { issueId, repositoryId, actorId, now } = change;
  const { event: action } = details;
  await recordEvent(sql, change, details);
  const event = (await isPull(sql, issueId))
    ? ({ event: 'pull_request', pullId: issueId, action, actorId, about } as const)
    : ({ event: 'issues', issueId, action, actorId, about } as const);
  await emitEvent(sql, repositoryId, event, now);
}
