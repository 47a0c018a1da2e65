import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ActionTarget, AttributeAction } from '../model/domain-event.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import type { IssueEventDetails } from '../model/issue-event.ts';
import { recordEvent } from './issue-event-store.ts';
import { isPull } from './issue-store.ts';
import type { IssueChange } from '../model/issue.ts';

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
