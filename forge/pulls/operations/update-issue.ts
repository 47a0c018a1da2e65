import type { UserCaller } from '../../model/caller.ts';
import type { CloseReason } from '../../model/issue.ts';
import { atLeast, type Permission } from '../../model/permission.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import type { Ports } from '../../ports/ports.ts';
import { applyEdit, mayEdit } from './edit-pull.ts';
import { findPull } from '../pull-store.ts';
import { type Repository } from '../../model/repository.ts';
import { writeRepository } from '../../events/invalidate.ts';
import type { SetAttributesInput } from '../../issues/issue-input.ts';
import { editTitleAndBody, setIssueState } from '../../issues/issue-change-store.ts';
import { findIssue } from '../../issues/issue-store.ts';
import { redirectTransferred } from '../../issues/redirect-transferred.ts';
import { setAttributes } from '../../issues/change-issue.ts';

export interface IssueUpdate {
  readonly repository: Repository;
  readonly number: number;
  readonly caller: UserCaller;
  /** The caller's permission, limited by the scopes of the token. */
  readonly permission: Permission;
  readonly title: string | undefined;
  readonly body: string | null | undefined;
  readonly state: 'open' | 'closed' | undefined;
  /** Of issues that are no pulls. */
  readonly closeReason?: CloseReason | undefined;
  readonly attributes: SetAttributesInput;
  readonly now: number;
}

/**
 * Changes an issue for its author or a user with the triage role, or refuses. If the issue is a pull, its title, body and
 * state are changed by `applyEdit`, which checks the branches first.
 */
export async function updateIssue(ports: Ports, update: IssueUpdate): Promise<void> {
  const { repository, number, caller, permission, now } = update;
  const found = await ports.database.read(async (sql) => {
    const issue = await findIssue(sql, repository.id, number);
    if (!issue) await redirectTransferred(sql, caller, repository.id, number);
    return issue;
  });
  if (!found) return notFound();
  if (found.pull) await updatePull(ports, update);
  await writeRepository(ports.database, repository.id, async (sql) => {
    const issue = await findIssue(sql, repository.id, number);
    if (!issue) return notFound();
    const isAuthor = issue.authorId === caller.account.id;
    const mayEditText = isAuthor || atLeast(permission, 'write');
    const mayTriage = isAuthor || atLeast(permission, 'triage');
    const change = {
      issueId: issue.id,
      repositoryId: repository.id,
      actorId: caller.account.id,
      now,
    };
    if (!issue.pull) {
      if (!mayTriage) return notFound();
      if (!mayEditText && (update.title !== undefined || update.body !== undefined)) refuseText();
      await editTitleAndBody(sql, issue, update, change);
      if (update.state) {
        await setIssueState(sql, issue, update.state, change, { reason: update.closeReason });
      }
    }
    await setAttributes(sql, change, update.attributes, issue.authorId, permission);
  });
}

function refuseText(): never {
  return refuse({
    kind: 'forbidden',
    message: 'Must be the author or have push access to change title and body.',
  });
}

async function updatePull(ports: Ports, update: IssueUpdate): Promise<void> {
  const { repository, caller, permission, title, body, state, now } = update;
  const { pull, allowed } = await ports.database.read(async (sql) => {
    const found = (await findPull(sql, repository.id, update.number)) ?? notFound();
    return { pull: found, allowed: await mayEdit(sql, caller, repository, found) };
  });
  if (!allowed && !atLeast(permission, 'triage')) return notFound();
  if (title === undefined && body === undefined && state === undefined) return;
  if (!allowed) return notFound();
  await applyEdit(ports, {
    pull,
    repository,
    caller,
    now,
    input: { title, body, state },
  });
}
