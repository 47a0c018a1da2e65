import type { Sql } from '#platform/database/database.ts';

import { deleteRepositoryRow } from './repository-life-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { emitEvent } from '../events/event-outbox-store.ts';

/**
 * Enqueues the deletion event for the webhooks of a repository that no longer exists in git. True while a delivery is pending:
 * until then the repository's row, which the delivery references, must stay. Idempotent, for calls after a crash.
 */
export async function enqueueDeletionEvent(
  sql: Sql,
  repositoryId: number,
  actorId: number | null,
  now: number,
): Promise<boolean> {
  const before = await deletionEvents(sql, repositoryId);
  if (before.created > 0) return before.due > 0;
  // Other pending deliveries need git for their payloads and can no longer be sent.
  await sql.run(
    `delete from webhook_deliveries where payload is null
       and webhook_id in (select id from webhooks where repository_id = $1)`,
    repositoryId,
  );
  await sql.run(
    `delete from webhook_deliveries where payload is null and repository_id = $1`,
    repositoryId,
  );
  const deleted = { event: 'repository', action: 'deleted', actorId } as const;
  await emitEvent(sql, repositoryId, deleted, now);
  return (await deletionEvents(sql, repositoryId)).due > 0;
}

/** Deletes the row of a deleted repository when no delivery of its event is pending; for callers that have handled one. */
export async function finishDeletion(sql: RepositoryWrite, repositoryId: number): Promise<void> {
  const row = await sql.get(
    `select 1 as found from repositories where id = $1 and state = 'deleting'`,
    repositoryId,
  );
  if (!row) return;
  const { due } = await deletionEvents(sql, repositoryId);
  if (due === 0) await deleteRepositoryRow(sql, repositoryId);
}

async function deletionEvents(
  sql: Sql,
  repositoryId: number,
): Promise<{ created: number; due: number }> {
  const row = await sql.get<{ created: number; due: number }>(
    `select count(*) as created, count(d.due_at) as due from (
       select d.due_at, d.event, d.action from webhook_deliveries d
         join webhooks w on w.id = d.webhook_id where w.repository_id = $1
       union all
       select d.due_at, d.event, d.action from webhook_deliveries d where d.repository_id = $1
     ) d join repositories r on r.id = $1
     where r.state = 'deleting' and d.event = 'repository' and d.action = 'deleted'`,
    repositoryId,
  );
  return row ?? { created: 0, due: 0 };
}
