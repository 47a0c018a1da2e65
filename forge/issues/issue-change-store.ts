import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import { findMilestone } from '../milestones/milestone-store.ts';
import type { Milestone } from '../model/milestone.ts';
import { addOpenIssues, takeNumber } from '../repositories/repository-store.ts';
import type { IssueChanged, PreviousText } from '../model/domain-event.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { emitIssueEvent, recordEvent } from './issue-event-store.ts';
import type { CloseReason, Issue, IssueChange, LockReason } from '../model/issue.ts';

export interface NewIssue {
  readonly repositoryId: number;
  readonly authorId: number;
  readonly title: string;
  readonly body: string | null;
  readonly now: number;
}

export async function insertIssue(
  sql: RepositoryWrite,
  issue: NewIssue,
): Promise<{ id: number; number: number }> {
  const number = await takeNumber(sql, issue.repositoryId);
  const row = await sql.get<{ id: number }>(
    `insert into issues (repository_id, number, is_pull, author_id, title, body, state, created_at, updated_at)
     values ($1, $2, 0, $3, $4, $5, 'open', $6, $6) returning id`,
    issue.repositoryId,
    number,
    issue.authorId,
    issue.title,
    issue.body,
    issue.now,
  );
  if (!row) throw new Error('insert into issues returned no row');
  await addOpenIssues(sql, issue.repositoryId, 1);
  const { repositoryId, authorId: actorId, now } = issue;
  const opened = { event: 'issues', action: 'opened', issueId: row.id, actorId } as const;
  await emitEvent(sql, repositoryId, opened, now);
  return { id: row.id, number };
}

/** Changes title and body of an issue; absent fields stay unchanged. */
export async function editTitleAndBody(
  sql: RepositoryWrite,
  issue: Issue,
  texts: { readonly title?: string | undefined; readonly body?: string | null | undefined },
  change: IssueChange,
): Promise<void> {
  const { title = issue.title, body = issue.body } = texts;
  if (title === issue.title && body === issue.body) return;
  await sql.run(`update issues set title = $2, body = $3 where id = $1`, issue.id, title, body);
  if (title !== issue.title) {
    await recordEvent(sql, change, { event: 'renamed', from: issue.title, to: title });
  }
  await touchIssue(sql, change);
  await emitIssueChanged(sql, change, 'edited', {
    ...(title === issue.title ? {} : { title: { from: issue.title } }),
    ...(body === issue.body ? {} : { body: { from: issue.body ?? '' } }),
  });
}

/** `by` says why it is closed, and by which commit. For issues that are no pulls: those have branches to look at (pulls/operations/edit-pull.ts). */
export async function setIssueState(
  sql: RepositoryWrite,
  issue: Issue,
  state: Issue['state'],
  change: IssueChange,
  by: { readonly reason?: CloseReason | undefined; readonly commit?: ObjectId | undefined } = {},
): Promise<void> {
  const closing = state === 'closed';
  const reason = closing ? (by.reason ?? 'completed') : 'reopened';
  const changed = await sql.run(
    `update issues set state = $2, closed_at = $3, closed_by_id = $4, state_reason = $5
     where id = $1 and state <> $2 and is_pull = 0`,
    issue.id,
    state,
    closing ? change.now : null,
    closing ? change.actorId : null,
    reason,
  );
  if (changed === 0) return;
  await recordEvent(
    sql,
    change,
    closing
      ? { event: 'closed', reason, ...(by.commit && { commit: by.commit }) }
      : { event: 'reopened' },
  );
  await addOpenIssues(sql, issue.repositoryId, closing ? -1 : 1);
  await touchIssue(sql, change);
  await emitIssueChanged(sql, change, closing ? 'closed' : 'reopened');
}

/** Locks the conversation, or changes the reason of the lock. */
export async function lockIssue(
  sql: RepositoryWrite,
  issue: Issue,
  reason: LockReason | null,
  change: IssueChange,
): Promise<void> {
  if (issue.locked && issue.lockReason === reason) return;
  await sql.run(`update issues set locked = 1, lock_reason = $2 where id = $1`, issue.id, reason);
  await emitIssueEvent(sql, change, { event: 'locked', reason });
  await touchIssue(sql, change);
}

export async function unlockIssue(
  sql: RepositoryWrite,
  issue: Issue,
  change: IssueChange,
): Promise<void> {
  if (!issue.locked) return;
  await sql.run(`update issues set locked = 0, lock_reason = null where id = $1`, issue.id);
  await emitIssueEvent(sql, change, { event: 'unlocked' });
  await touchIssue(sql, change);
}

/** Moves the issue from its milestone, if any, to another, if given. */
export async function moveToMilestone(
  sql: RepositoryWrite,
  before: Milestone | undefined,
  after: Milestone | undefined,
  change: IssueChange,
): Promise<void> {
  if (before?.id === after?.id) return;
  await sql.run(
    `update issues set milestone_id = $2 where id = $1`,
    change.issueId,
    after?.id ?? null,
  );
  if (before) {
    const left = { event: 'demilestoned', milestoneTitle: before.title } as const;
    await emitIssueEvent(sql, change, left, { milestone: await recounted(sql, before) });
  }
  if (after) {
    const joined = { event: 'milestoned', milestoneTitle: after.title } as const;
    await emitIssueEvent(sql, change, joined, { milestone: await recounted(sql, after) });
  }
  await touchIssue(sql, change);
}

/** The milestone with its current number of issues. */
async function recounted(sql: Sql, milestone: Milestone): Promise<Milestone> {
  return (await findMilestone(sql, milestone.repositoryId, milestone.number)) ?? milestone;
}

async function emitIssueChanged(
  sql: Sql,
  { issueId, repositoryId, actorId, now }: IssueChange,
  action: IssueChanged['action'],
  changes?: PreviousText,
): Promise<void> {
  const event = changes ? { changes } : {};
  await emitEvent(sql, repositoryId, { event: 'issues', action, issueId, actorId, ...event }, now);
}

/** Every change must call this: lists are ordered by `updated_at`, and conditional requests depend on it. */
export async function touchIssue(sql: RepositoryWrite, change: IssueChange): Promise<void> {
  await sql.run(`update issues set updated_at = $2 where id = $1`, change.issueId, change.now);
}
