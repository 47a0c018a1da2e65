import type { Sql } from '#platform/database/database.ts';
import { currentLineage } from '#platform/invocation-lineage.ts';

import { parseEvents, parsePermissions } from '../model/app.ts';
import { isForOneApp, receives, type Subscriber } from '../model/app-subscription.ts';
import type { AppEvent } from '../model/app-event.ts';
import {
  actionOf,
  type DomainEvent,
  isAppEvent,
  type PullEvent,
  type RepositoryEvent,
} from '../model/domain-event.ts';
import { notifyOf } from './notify.ts';
import { recordActivity } from './activity-store.ts';

/** Notified when deliveries were enqueued. */
export const deliveriesChannel = 'webhook deliveries';

/** Notified of every event of a repository. */
export function repositoryEventsChannel(repositoryId: number): string {
  return `events of repository ${repositoryId}`;
}

/**
 * Enqueues an event for the repository's webhooks, those of Apps and the list of events, in the transaction of the change
 * (transactional outbox): after the commit, the event is delivered despite crashes. Writes no delivery unless an active webhook
 * subscribes. Creates the notifications of the event as well, and wakes those that wait for the events of the repository.
 */
export async function emitEvent(
  sql: Sql,
  repositoryId: number,
  domainEvent: RepositoryEvent,
  now: number,
  notifyApps = true,
): Promise<void> {
  sql.notify(repositoryEventsChannel(repositoryId));
  if (!isForOneApp(domainEvent)) await emitToRepository(sql, repositoryId, domainEvent, now);
  const subscribers = notifyApps ? await subscribersOf(sql, repositoryId) : [];
  if (subscribers.length > 0) {
    const isOfPull = await concernsPull(sql, domainEvent);
    for (const { webhookId, installationId, ...subscriber } of subscribers) {
      if (!receives(subscriber, domainEvent, isOfPull)) continue;
      await insertDelivery(sql, { webhookId, installationId, repositoryId }, domainEvent, now);
    }
  }
  await recordActivity(sql, repositoryId, domainEvent, now);
  await notifyOf(sql, repositoryId, domainEvent, now);
}

async function emitToRepository(
  sql: Sql,
  repositoryId: number,
  domainEvent: RepositoryEvent,
  now: number,
): Promise<void> {
  // Most repositories have no webhook: the event is serialized only where one subscribes.
  const subscriptions = await sql.all<{ webhook_id: number }>(
    `select distinct webhook_id from webhook_subscriptions
     where repository_id = $1 and event in ($2, '*') order by webhook_id`,
    repositoryId,
    domainEvent.event,
  );
  for (const { webhook_id: webhookId } of subscriptions) {
    await emitEventTo(sql, webhookId, domainEvent, now);
  }
}

/** Enqueues an event for a single webhook, active or not: pings and tests that a user requested. */
export async function emitEventTo(
  sql: Sql,
  webhookId: number,
  domainEvent: RepositoryEvent,
  now: number,
): Promise<void> {
  const nowhere = { installationId: null, repositoryId: null };
  await insertDelivery(sql, { webhookId, ...nowhere }, domainEvent, now);
}

/** Enqueues an event of an installation for its App, if the App has an active webhook. */
export async function emitAppEvent(sql: Sql, domainEvent: AppEvent, now: number): Promise<void> {
  const { id: installationId, appId } = domainEvent.installation;
  const hook = await sql.get<{ id: number }>(
    `select id from webhooks where app_id = $1 and active = 1 and url <> ''`,
    appId,
  );
  if (!hook) return;
  const addressee = { webhookId: hook.id, installationId, repositoryId: null };
  await insertDelivery(sql, addressee, domainEvent, now);
}

/** What decides whether an App may be sent a delivery. */
export interface AppDelivery {
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  readonly domainEvent: DomainEvent;
}

/**
 * Whether an App may see a delivery now: its installation covers the repository, and has the permission and the subscription. What
 * happens to an installation is for its App in any case.
 */
export async function mayStillReceive(
  sql: Sql,
  { installationId, repositoryId, domainEvent }: AppDelivery,
): Promise<boolean> {
  if (repositoryId === null || isAppEvent(domainEvent)) return true;
  const subscribers = await subscribersOf(sql, repositoryId);
  const present = subscribers.find((each) => each.installationId === installationId);
  if (!present) return false;
  return receives(present, domainEvent, await concernsPull(sql, domainEvent));
}

/** Whether any webhook gets events of the repository, or the given event; checked once for thousands of events. */
export async function hasWebhooks(
  sql: Sql,
  repositoryId: number,
  event?: RepositoryEvent['event'],
): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from webhook_subscriptions
     where repository_id = $1 and ($2 = '' or event in ($2, '*')) limit 1`,
    repositoryId,
    event ?? '',
  );
  if (row) return true;
  const subscribers = await subscribersOf(sql, repositoryId);
  return subscribers.some(({ events }) => event === undefined || events.includes(event));
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

interface Addressee {
  readonly webhookId: number;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

async function insertDelivery(
  sql: Sql,
  { webhookId, installationId, repositoryId }: Addressee,
  domainEvent: DomainEvent,
  now: number,
): Promise<void> {
  await sql.run(
    `insert into webhook_deliveries
       (webhook_id, installation_id, repository_id, event, action, facts, due_at, created_at, lineage)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8)`,
    webhookId,
    installationId,
    repositoryId,
    domainEvent.event,
    actionOf(domainEvent),
    JSON.stringify(domainEvent),
    now,
    currentLineage() ?? null,
  );
  sql.notify(deliveriesChannel);
}

/** The installations that have access to a repository, of Apps with an active webhook. */
async function subscribersOf(
  sql: Sql,
  repositoryId: number,
): Promise<(Subscriber & { readonly webhookId: number; readonly installationId: number })[]> {
  const rows = await sql.all<{
    webhook_id: number;
    installation_id: number;
    app_id: number;
    permissions: string;
    events: string;
  }>(
    `select w.id as webhook_id, i.id as installation_id, i.app_id, i.permissions, i.events
     from repositories r join app_installations i on i.account_id = r.owner_id and i.suspended_at is null
       join webhooks w on w.app_id = i.app_id and w.active = 1 and w.url <> ''
     where r.id = $1 and (i.repository_selection = 'all' or exists
       (select 1 from app_installation_repositories s where s.installation_id = i.id and s.repository_id = r.id))
     order by i.id`,
    repositoryId,
  );
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    installationId: row.installation_id,
    appId: row.app_id,
    permissions: parsePermissions(row.permissions),
    events: parseEvents(row.events),
  }));
}

/** Whether a comment is one on a pull. */
async function concernsPull(sql: Sql, domainEvent: RepositoryEvent): Promise<boolean> {
  if (domainEvent.event !== 'issue_comment') return false;
  const row = await sql.get<{ is_pull: number }>(
    `select is_pull from issues where id = $1`,
    domainEvent.issueId,
  );
  return row?.is_pull === 1;
}
