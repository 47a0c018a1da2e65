import { readCommitted, type Sql } from '#platform/database/database.ts';
import { gatherWrites } from '#platform/gathered-writes.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { appById } from '../auth/apps/app-store.ts';
import { mayStillReceive } from '../events/event-outbox-store.ts';
import { deliveryHeaders } from '../http/delivery-headers.ts';
import { webhookSource } from '../model/app.ts';
import { fullName } from '../model/repository.ts';
import { type FunctionRequest, isArn } from '../ports/function-targets.ts';
import type { Ports } from '../ports/ports.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { invalidateRepository } from '../events/invalidate.ts';
import { vendor } from '../json/vendor.ts';
import {
  countAttempt,
  type DeliveryContent,
  dropDelivery,
  holdsClaim,
  postponeDelivery,
  releaseDelivery,
} from './delivery-claim-store.ts';
import { type Attempted, recordOutcomes } from './delivery-outcome-store.ts';
import { type ClaimedDelivery, isExhausted, type DeliveryOutcome } from './delivery.ts';
import { finishDeletion } from '../repositories/deletion-event-store.ts';
import { describeDomainEvent } from './build-payload.ts';
import { noResponse, type DeliveryResponse, sendDelivery } from './send-delivery.ts';
import { enqueueForFunction, postToFunction } from './send-to-function.ts';
import { webhooksById } from './webhook-store.ts';
import type { Webhook, WebhookTarget } from './webhook.ts';

/** Time that a receiver has to answer; then the delivery has failed. */
const timeoutMilliseconds = 10_000;
/** Of a delivery whose last attempt has no outcome, and that is not attempted any more. */
const unfinishedAttempts = 'the server stopped or failed during the last attempt';
/** Retention of deliveries: so long they are listed and can be redelivered. */
export const retentionMilliseconds = 30 * 24 * 60 * 60_000;
/** Stored bytes of the finished deliveries of a webhook; the oldest go first. */
const storedBytesMax = 64 * 1024 * 1024;

/** What an attempt writes, together with what others write at that time. False: its claim was lost, so nothing was written. */
export interface DeliveryWrites {
  /** Counts the attempt, and stores what it is going to send. */
  readonly content: (prepared: Prepared) => Promise<boolean>;
  readonly outcome: (attempted: Attempted) => Promise<boolean>;
}

export function deliveryWrites({
  database,
  clock,
}: Pick<Ports, 'database' | 'clock'>): DeliveryWrites {
  return {
    // Read committed: each statement compares the claim that it writes for.
    content: gatherWrites((items: readonly Prepared[]) =>
      database.write(async (sql) => {
        const counted: boolean[] = [];
        for (const { delivery, content } of items) {
          const added = delivery.payload === undefined ? content : undefined;
          counted.push(await countAttempt(sql, delivery, clock.now(), added));
        }
        return counted;
      }, readCommitted),
    ),
    outcome: gatherWrites((items: readonly Attempted[]) =>
      database.write(async (sql) => {
        const recorded = await record(sql, items);
        return items.map(({ delivery }) => recorded.has(delivery));
      }, readCommitted),
    ),
  };
}

/**
 * Attempts a delivery that this server has claimed. If this server stops, the delivery is due again. The result of an attempt that
 * outlasts its claim is discarded, because another server may already have made the next attempt.
 */
export async function deliver(
  ports: Ports,
  writes: DeliveryWrites,
  delivery: ClaimedDelivery,
  options: AttemptOptions,
): Promise<void> {
  const { database, clock } = ports;
  try {
    const prepared = await prepare(ports, delivery);
    if (!prepared) {
      await database.write((sql) => drop(sql, delivery), readCommitted);
      return;
    }
    // Stored before it is sent: an attempt after a crash sends the same. Counted before, too: one that ends the server must not be made
    // at each start.
    if (!isExhausted(delivery) && !(await writes.content(prepared))) return;
    await attempt(ports, writes, prepared, options);
  } catch (error) {
    // After an internal error an immediate retry is useless; the delivery is due again when the claim expires.
    if (options.stop.aborted) {
      await database.write((sql) => releaseDelivery(sql, delivery, clock.now()), readCommitted);
    }
    throw error;
  }
}

export interface AttemptOptions {
  /** Aborts the attempt when the server stops. */
  readonly stop: AbortSignal;
  /** Called right before something is sent. What is enqueued for a function is not: it is committed with its outcome. */
  readonly onSend: () => void;
}

interface Prepared {
  readonly webhook: Webhook;
  readonly delivery: ClaimedDelivery;
  readonly content: DeliveryContent;
}

/** What to send; undefined if the webhook or the resources of the event no longer exist, or an App may not see them any more. */
async function prepare(ports: Ports, delivery: ClaimedDelivery): Promise<Prepared | undefined> {
  const prepared = await prepareContent(ports, delivery);
  if (prepared?.webhook.target.kind !== 'app') return prepared;
  // After everything was read, so that nothing is sent of what was written when the App had lost its access.
  const allowed = await ports.database.read((sql) => mayStillReceive(sql, delivery));
  return allowed ? prepared : undefined;
}

async function prepareContent(
  ports: Ports,
  delivery: ClaimedDelivery,
): Promise<Prepared | undefined> {
  const { database, clock } = ports;
  const { webhookId, guid, payload } = delivery;
  const webhook = await database.readOne(async (sql) =>
    (await webhooksById(sql, [webhookId])).get(webhookId),
  );
  if (!webhook) return undefined;
  if (guid !== undefined && payload !== undefined)
    return { webhook, delivery, content: { guid, payload } };
  try {
    const representation = await describeDomainEvent(ports, webhook, delivery);
    if (!representation) return undefined;
    const content = { guid: guid ?? newGuid(ports), payload: JSON.stringify(representation) };
    return { webhook, delivery, content };
  } catch (error) {
    // The worker releases it when the database answers.
    if (storageFailure(error)) throw error;
    await database.write((sql) => postponeDelivery(sql, delivery, clock.now()), readCommitted);
    throw error;
  }
}

async function attempt(
  ports: Ports,
  writes: DeliveryWrites,
  { webhook, content, delivery }: Prepared,
  options: AttemptOptions,
): Promise<void> {
  const { database, clock, settings, functionTargets } = ports;
  const { target, secret, contentType, url } = webhook;
  const body = bodyOf(webhook, content.payload);
  const headers = deliveryHeaders(vendor(settings.vendor), {
    event: delivery.event,
    guid: content.guid,
    webhookId: webhook.id,
    target:
      target.kind === 'repository'
        ? { type: 'repository', id: target.repositoryId }
        : { type: 'integration', id: target.appId },
    secret,
    contentType,
    body,
  });
  const request = { headers, body, lineage: delivery.lineage };
  const startedAt = performance.now();
  const outcomeOf = ({
    code,
    status,
    headers: responseHeaders,
    body: text,
  }: DeliveryResponse): DeliveryOutcome => ({
    at: clock.now(),
    milliseconds: Math.round(performance.now() - startedAt),
    code,
    status,
    requestHeaders: headers,
    responseHeaders,
    responseBody: text,
  });
  if (isArn(url) && !isExhausted(delivery)) {
    await database.write(async (sql) => {
      if (!(await holdsClaim(sql, delivery))) return;
      const source = (await sourceOf(sql, target)) ?? '';
      const event = { ...request, arn: url, repository: source };
      const response = await enqueueForFunction(sql, functionTargets, event);
      await record(sql, [{ delivery, outcome: outcomeOf(response) }]);
    });
    return;
  }
  const response = isExhausted(delivery)
    ? noResponse(unfinishedAttempts)
    : await send(ports, webhook, request, options);
  await writes.outcome({ delivery, outcome: outcomeOf(response) });
}

/** The repository or App that the policy of a function must allow. */
async function sourceOf(sql: Sql, target: WebhookTarget): Promise<string | undefined> {
  if (target.kind === 'app') {
    const app = await appById(sql, target.appId);
    return app && webhookSource(app);
  }
  const { repositoryId } = target;
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  return repository && fullName(repository);
}

async function send(
  { settings, functionTargets }: Ports,
  { url, insecureSsl }: Webhook,
  request: FunctionRequest,
  { stop, onSend }: AttemptOptions,
): Promise<DeliveryResponse> {
  onSend();
  const sent = { ...request, url, timeoutMilliseconds, signal: stop };
  const received = functionTargets && (await postToFunction(functionTargets, sent));
  const privateTargets = settings.webhookPrivateTargets;
  return received ?? sendDelivery({ ...sent, insecureSsl, privateTargets });
}

async function drop(sql: Sql, delivery: ClaimedDelivery): Promise<void> {
  if (await dropDelivery(sql, delivery)) await finishDeletionOf(sql, delivery);
}

/** Records what came of attempts, and returns those whose claims were valid. */
async function record(
  sql: Sql,
  attempts: readonly Attempted[],
): Promise<ReadonlySet<ClaimedDelivery>> {
  const latest = Math.max(...attempts.map(({ outcome }) => outcome.at));
  const most = { before: latest - retentionMilliseconds, bytes: storedBytesMax };
  const recorded = await recordOutcomes(sql, attempts, most);
  for (const delivery of recorded) await finishDeletionOf(sql, delivery);
  return recorded;
}

/** The row of a deleted repository waits for the deliveries of its event, also if one of them is not sent. */
async function finishDeletionOf(sql: Sql, delivery: ClaimedDelivery): Promise<void> {
  const { event, action, webhookId } = delivery;
  if (event !== 'repository' || action !== 'deleted') return;
  const webhook = (await webhooksById(sql, [webhookId])).get(webhookId);
  const repositoryId =
    webhook?.target.kind === 'repository' ? webhook.target.repositoryId : delivery.repositoryId;
  if (repositoryId === null) return;
  await finishDeletion(await invalidateRepository(sql, repositoryId), repositoryId);
}

function bodyOf({ contentType }: Webhook, payload: string): Buffer {
  return Buffer.from(
    contentType === 'json' ? payload : new URLSearchParams({ payload }).toString(),
  );
}

function newGuid(ports: Ports): string {
  const hex = Buffer.from(ports.randomBytes(16)).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20)].join('-');
}
