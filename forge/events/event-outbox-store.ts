import type { Sql } from '#platform/database/database.ts';
import { currentLineage } from '#platform/invocation-lineage.ts';

import { actionOf, type DomainEvent, type PullEvent } from '../model/domain-event.ts';
import { recordActivity } from './activity-store.ts';

/** Notified when deliveries were enqueued. */
export const deliveriesChannel = 'webhook deliveries';

/**
 * Enqueues an event for the repository's webhooks and list of events, in the transaction of the change (transactional
 * outbox): after the commit, the event is delivered despite crashes. Writes no delivery unless an active webhook subscribes.
 */
export async function emitEvent(
  sql: Sql,
  repositoryId: number,
  domainEvent: DomainEvent,
  now: number,
): Promise<void> {
  const owed = await sql.run(
    `insert into webhook_deliveries (webhook_id, event, action, facts, due_at, created_at, lineage)
     select distinct webhook_id, cast($2 as text), cast($3 as text), cast($4 as text),
       cast($5 as bigint), cast($5 as bigint), cast($6 as text)
     from webhook_subscriptions where repository_id = $1 and event in ($2, '*')`,
    repositoryId,
    domainEvent.event,
    actionOf(domainEvent),
    JSON.stringify(domainEvent),
    now,
    currentLineage() ?? null,
  );
  if (owed > 0) sql.notify(deliveriesChannel);
  await recordActivity(sql, repositoryId, domainEvent, now);
}

/** Enqueues an event for a single webhook, active or not: pings and tests that a user requested. */
export async function emitEventTo(
  sql: Sql,
  webhookId: number,
  domainEvent: DomainEvent,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into webhook_deliveries (webhook_id, event, action, facts, due_at, created_at, lineage)
     values ($1, $2, $3, $4, $5, $5, $6)`,
    webhookId,
    domainEvent.event,
    actionOf(domainEvent),
    JSON.stringify(domainEvent),
    now,
    currentLineage() ?? null,
  );
  sql.notify(deliveriesChannel);
}

/** Whether any webhook gets events of the repository, or the given event; checked once for thousands of events. */
export async function hasListeners(
  sql: Sql,
  repositoryId: number,
  event?: DomainEvent['event'],
): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from webhook_subscriptions
     where repository_id = $1 and ($2 = '' or event in ($2, '*')) limit 1`,
    repositoryId,
    event ?? '',
  );
  return row !== undefined;
}

/** Emits an event of a pull to the webhooks of its repository. */
export async function emitPullEvent(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  actorId: number | null,
  happened: Pick<PullEvent, 'action' | 'before' | 'after' | 'changes' | 'about'>,
  now: number,
): Promise<void> {
  const { id: pullId, repositoryId } = pull;
  await emitEvent(sql, repositoryId, { event: 'pull_request', pullId, actorId, ...happened }, now);
}
