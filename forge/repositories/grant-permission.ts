import { type CollaboratorEntry, putCollaborator } from './collaborator-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { emitEvent } from '../events/event-outbox-store.ts';

/** Grants a permission and emits the event for a new collaborator or a changed permission. */
export async function grantPermission(
  sql: RepositoryWrite,
  entry: CollaboratorEntry,
  actorId: number,
): Promise<void> {
  const { repositoryId, accountId: memberId, permission: to, now } = entry;
  const from = await putCollaborator(sql, entry);
  if (from === to) return;
  const action = from === null ? 'added' : 'edited';
  const event = { event: 'member', action, memberId, actorId, permission: { from, to } } as const;
  await emitEvent(sql, repositoryId, event, now);
}
