import { notFound, refuse } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import {
  invalidateRepository,
  type RepositoryWrite,
  writeRepository,
} from '../events/invalidate.ts';
import { accountsById } from '../accounts/account-store.ts';
import { insertLabel } from '../labels/label-store.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Issue } from '../model/issue.ts';
import type { IssueSnapshot } from '../model/issue-snapshot.ts';
import { atLeast } from '../model/permission.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { issuePermissionIn, refuseArchived } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { unassign } from './assignee-store.ts';
import { mayBeAssigned } from './change-assignees.ts';
import { attributesOf } from './issue-attributes.ts';
import { recordEvent } from './issue-event-store.ts';
import { issuesById } from './issue-store.ts';
import { pinnedMax } from './pin-issue.ts';
import { countPinned } from './pin-store.ts';
import { labelsLackingIn, moveIssue } from './transfer-issue-store.ts';

export interface IssueTransfer {
  readonly issueId: number;
  /** Where it is. */
  readonly fromId: number;
  readonly toId: number;
  /** Labels that the other repository lacks are created there. */
  readonly createLabels: boolean;
  readonly caller: UserCaller;
  readonly now: number;
}

/**
 * Transfers an issue to another repository of the same owner, for users who may push to both, in one transaction. It keeps its id,
 * and its old number leads to it.
 */
export async function transferIssue(
  { database }: Pick<Ports, 'database'>,
  transfer: IssueTransfer,
): Promise<void> {
  const { issueId, fromId, toId, caller, now } = transfer;
  await writeRepository(database, fromId, async (source) => {
    const { from, to } = await requireBoth(source, transfer);
    const issue = (await issuesById(source, [issueId])).get(issueId);
    if (!issue || issue.pull || issue.repositoryId !== fromId) return notFound();
    refuseTarget(from, to);
    const sql = await invalidateRepository(source, toId);
    const before = await snapshot(sql, issue);
    if (transfer.createLabels) await createLabels(sql, transfer);
    const pinned = issue.pinned && (await countPinned(sql, toId)) < pinnedMax;
    const number = await moveIssue(sql, issue, { repositoryId: toId, pinned, now });
    await unassignOthers(sql, issue, before.assigneeIds, toId);
    const actorId = caller.account.id;
    const change = { issueId, repositoryId: toId, actorId, now };
    await recordEvent(sql, change, { event: 'transferred', fromRepositoryId: fromId });
    const moved = (await issuesById(sql, [issueId])).get(issueId) ?? { ...issue, number };
    const after = await snapshot(sql, moved);
    const event = { event: 'issues', issueId, actorId } as const;
    const opened = {
      ...event,
      action: 'opened',
      other: { repositoryId: fromId, ...before },
    } as const;
    await emitEvent(sql, toId, opened, now);
    const other = { repositoryId: toId, ...after };
    await emitEvent(sql, fromId, { ...event, action: 'transferred', last: before, other }, now);
  });
}

/** Both repositories, to which the caller may push. */
async function requireBoth(
  sql: RepositoryWrite,
  { fromId, toId, caller }: IssueTransfer,
): Promise<{ from: Repository; to: Repository }> {
  for (const id of [fromId, toId]) {
    const permission = await issuePermissionIn(sql, caller, id);
    if (!atLeast(permission, 'read')) return notFound();
    if (atLeast(permission, 'write')) continue;
    const message = `${caller.account.login} does not have the correct permissions to execute \`TransferIssue\``;
    refuse({ kind: 'forbidden', message });
  }
  const found = await repositoriesById(sql, [fromId, toId]);
  const [from, to] = [found.get(fromId), found.get(toId)];
  return from && to ? { from, to } : notFound();
}

function refuseTarget(from: Repository, to: Repository): void {
  const message = refusalOf(from, to);
  if (message !== undefined) refuse({ kind: 'unprocessable', message });
  if (from.archived || to.archived) refuseArchived();
}

function refusalOf(from: Repository, to: Repository): string | undefined {
  if (from.id === to.id) return 'The issue is already in this repository.';
  if (from.owner.id !== to.owner.id) {
    return 'Issues can be transferred only between repositories of the same user or organization.';
  }
  if (from.private && !to.private) {
    return 'Issues of a private repository cannot be transferred to a public one.';
  }
  return to.hasIssues ? undefined : 'Issues are disabled for this repo';
}

async function snapshot(sql: RepositoryWrite, issue: Issue): Promise<IssueSnapshot> {
  const { labels, assigneeIds, milestones } = await attributesOf(sql, [issue.id]);
  return {
    issue,
    labels: labels.get(issue.id) ?? [],
    assigneeIds: assigneeIds.get(issue.id) ?? [],
    milestone: milestones.get(issue.id) ?? null,
  };
}

async function createLabels(
  sql: RepositoryWrite,
  { issueId, toId, caller, now }: IssueTransfer,
): Promise<void> {
  const actorId = caller.account.id;
  for (const missing of await labelsLackingIn(sql, issueId, toId)) {
    const label = await insertLabel(sql, toId, missing);
    await emitEvent(sql, toId, { event: 'label', action: 'created', label, actorId }, now);
  }
}

/** Unassigns users who cannot be assigned in the new repository. */
async function unassignOthers(
  sql: RepositoryWrite,
  issue: Issue,
  assigneeIds: readonly number[],
  repositoryId: number,
): Promise<void> {
  for (const account of (await accountsById(sql, assigneeIds)).values()) {
    if (await mayBeAssigned(sql, repositoryId, issue.authorId, account)) continue;
    await unassign(sql, issue.id, account.id);
  }
}
