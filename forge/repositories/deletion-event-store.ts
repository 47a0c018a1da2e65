import type { Sql } from '#platform/database/database.ts';

import { deleteRepositoryRow } from './repository-life-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { emitEvent } from '../events/event-outbox-store.ts';

/**
 * Tells the webhooks of a repository whose git is gone that it was deleted. True while one of them is to be told: its
 * row, which the delivery hangs on, must stay so long. Asked again after a crash it announces nothing twice.
 */
export async function enqueueDeletionEvent(
  sql: Sql,
  repositoryId: number,
  actorId: number | null,
  now: number,
): Promise<boolean> {
  const before = await deletionEvents(sql, repositoryId);
  if (before.made > 0) return before.due > 0;
  // Of what nothing is left in git no payload can be made any more.
  await sql.run(
    `delete from webhook_deliveries where payload is null
       and webhook_id in (select id from webhooks where repository_id = $1)`,
    repositoryId,
  );
  const deleted = { event: 'repository', action: 'deleted', actorId } as const;
  await emitEvent(sql, repositoryId, deleted, now);
  return (await deletionEvents(sql, repositoryId)).due > 0;
}

/** Removes the row of a deleted repository once nobody is left to be told of it. */
export async function finishDeletion(sql: RepositoryWrite, repositoryId: number): Promise<void> {
  const { made, due } = await deletionEvents(sql, repositoryId);
  if (made > 0 && due === 0) await deleteRepositoryRow(sql, repositoryId);
}

async function deletionEvents(
  sql: Sql,
  repositoryId: number,
): Promise<{ made: number; due: number }> {
  const row = await sql.get<{ made: number; due: number }>(
    `select count(*) as made, count(d.due_at) as due from webhook_deliveries d
     join webhooks w on w.id = d.webhook_id join repositories r on r.id = w.repository_id
     where r.id = $1 and r.state = 'deleting' and d.event = 'repository' and d.action = 'deleted'`,
    repositoryId,
  );
  return row ?? { made: 0, due: 0 };
}
