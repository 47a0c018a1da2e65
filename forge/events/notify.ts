import type { Sql } from '#platform/database/database.ts';

import type { ActionTarget, RepositoryEvent } from '../model/domain-event.ts';
import { mentionsIn } from './mentions.ts';
import {
  addParticipant,
  type Change,
  notifyAccount,
  notifyParticipants,
  notifyTeam,
  readWritten,
  usersNamed,
  type TextLocation,
} from './notify-store.ts';

/** What an event means for notifications. */
type Notice =
  /** Of interest to all who take part; `written`: mentions users; `joins`: who did it takes part from now on. */
  | {
      readonly kind: 'everyone';
      readonly issueId: number;
      readonly written?: TextLocation;
      readonly joins?: boolean;
    }
  | { readonly kind: 'target'; readonly issueId: number; readonly about: ActionTarget | undefined };

/**
 * Creates the notifications of an event of an issue or pull, in the transaction of the change. Accounts see them only while they may
 * read the repository (notifications/visible-threads.ts).
 */
export async function notifyOf(
  sql: Sql,
  repositoryId: number,
  domainEvent: RepositoryEvent,
  now: number,
): Promise<void> {
  const notice = noticeOf(domainEvent);
  if (!notice || !('actorId' in domainEvent)) return;
  const { issueId } = notice;
  const change: Change = { issueId, repositoryId, actorId: domainEvent.actorId, now };
  if (notice.kind === 'target') return notifyTarget(sql, change, notice.about);
  await notifyParticipants(sql, change);
  if (notice.written) await notifyMentioned(sql, change, notice.written);
  if (notice.joins) await addParticipant(sql, change, 'comment');
}

function noticeOf(domainEvent: RepositoryEvent): Notice | undefined {
  if (domainEvent.event === 'issues') return changeOf(domainEvent.issueId, domainEvent);
  if (domainEvent.event === 'pull_request') return changeOf(domainEvent.pullId, domainEvent);
  if (domainEvent.event === 'issue_comment' && domainEvent.action === 'created') {
    const { issueId, commentId: id } = domainEvent;
    return { kind: 'everyone', issueId, written: { table: 'issue_comments', id }, joins: true };
  }
  if (domainEvent.event === 'pull_request_review' && domainEvent.action === 'submitted') {
    const { pullId: issueId, reviewId: id } = domainEvent;
    return { kind: 'everyone', issueId, written: { table: 'reviews', id }, joins: true };
  }
  if (domainEvent.event === 'pull_request_review_comment' && domainEvent.action === 'created') {
    const { pullId: issueId, commentId: id } = domainEvent;
    return { kind: 'everyone', issueId, written: { table: 'review_comments', id }, joins: true };
  }
  return undefined;
}

function changeOf(
  issueId: number,
  { action, about }: { readonly action: string; readonly about?: ActionTarget },
): Notice | undefined {
  switch (action) {
    case 'opened':
      return { kind: 'everyone', issueId, written: { table: 'issues', id: issueId } };
    case 'closed':
    case 'reopened':
    case 'ready_for_review':
      return { kind: 'everyone', issueId };
    case 'assigned':
    case 'review_requested':
      return { kind: 'target', issueId, about };
    default:
      return undefined;
  }
}

async function notifyTarget(
  sql: Sql,
  change: Change,
  about: ActionTarget | undefined,
): Promise<void> {
  const { assigneeId, reviewerId, teamId } = about ?? {};
  if (assigneeId !== undefined) await notifyAccount(sql, change, assigneeId, 'assign');
  if (reviewerId !== undefined) await notifyAccount(sql, change, reviewerId, 'review_requested');
  if (teamId !== undefined) await notifyTeam(sql, change, teamId, 'review_requested');
}

async function notifyMentioned(sql: Sql, change: Change, written: TextLocation): Promise<void> {
  const mentions = mentionsIn(await readWritten(sql, written));
  for (const id of await usersNamed(sql, mentions)) {
    await notifyAccount(sql, change, id, 'mention');
  }
}
