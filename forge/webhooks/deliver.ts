import { deliveryHeaders } from '../http/delivery-headers.ts';
import type { Ports } from '../ports/ports.ts';
import { invalidateRepository } from '../events/invalidate.ts';
import { vendor } from '../json/vendor.ts';
import {
  claimDelivery,
  type DeliveryClaim,
  type DeliveryContent,
  holdsClaim,
  releaseDelivery,
} from './delivery-claim-store.ts';
import { dropDelivery, forgetDeliveries, recordOutcome, storePayload } from './delivery-store.ts';
import type { Delivery, Outcome } from './delivery.ts';
import { finishDeletion } from '../repositories/deletion-event-store.ts';
import { describeDomainEvent } from './build-payload.ts';
import { sendDelivery } from './send-delivery.ts';
import { webhooksById } from './webhook-store.ts';
import type { Webhook } from './webhook.ts';

/** The delivery fails if the receiver takes longer. */
const timeoutMilliseconds = 10_000;
/** How long deliveries can be listed and redelivered. */
export const retentionMilliseconds = 30 * 24 * 60 * 60_000;

/**
 * Attempts a due delivery, unless another server has claimed it. If this server stops, the delivery stays due. The result of
 * an attempt that outlasts its claim is discarded, because another server may already have made the next attempt.
 */
export async function deliver(ports: Ports, delivery: Delivery, stop: AbortSignal): Promise<void> {
  const { database, clock } = ports;
  const claim = await database.write((sql) => claimDelivery(sql, delivery, clock.now()));
  if (!claim) return;
  try {
    await attempt(ports, delivery, claim, stop);
  } catch (error) {
    // After an internal error an immediate retry is useless; the delivery is due again when the claim expires.
    if (stop.aborted) {
      await database.write((sql) => releaseDelivery(sql, claim, delivery.dueAt));
    }
    throw error;
  }
}

async function attempt(
  ports: Ports,
  delivery: Delivery,
  claim: DeliveryClaim,
  stop: AbortSignal,
): Promise<void> {
  const { database, clock, settings } = ports;
  const webhook = await database.read(async (sql) =>
    (await webhooksById(sql, [delivery.webhookId])).get(delivery.webhookId),
  );
  const content = webhook ? await contentOf(ports, webhook, delivery, claim) : 'gone';
  if (content === 'claim lost') return;
  if (!webhook || content === 'gone') {
    await database.write((sql) => dropDelivery(sql, claim));
    return;
  }
  const body = bodyOf(webhook, content.payload);
  const { id: webhookId, repositoryId, secret, contentType, url, insecureSsl } = webhook;
  const { event } = delivery;
  const requestHeaders = deliveryHeaders(vendor(settings.vendor), {
    event,
    guid: content.guid,
    webhookId,
    repositoryId,
    secret,
    contentType,
    body,
  });
  const startedAt = performance.now();
  const reception = await sendDelivery({
    url,
    headers: requestHeaders,
    body,
    insecureSsl,
    privateTargets: settings.webhookPrivateTargets,
    timeoutMilliseconds,
    signal: stop,
  });
  const milliseconds = Math.round(performance.now() - startedAt);
  const at = clock.now();
  const outcome: Outcome = {
    at,
    milliseconds,
    code: reception.code,
    status: reception.status,
    requestHeaders,
    responseHeaders: reception.headers,
    responseBody: reception.body,
  };
  await database.write(async (sql) => {
    if (!(await holdsClaim(sql, claim))) return;
    await recordOutcome(sql, delivery, outcome);
    await forgetDeliveries(sql, webhookId, at - retentionMilliseconds);
    const { event: eventName, action } = delivery;
    if (eventName === 'repository' && action === 'deleted') {
      await finishDeletion(await invalidateRepository(sql, repositoryId), repositoryId);
    }
  });
}

/** The content to send, stored before the first attempt; `gone` if the resources of the event no longer exist. */
async function contentOf(
  ports: Ports,
  webhook: Webhook,
  delivery: Delivery,
  claim: DeliveryClaim,
): Promise<DeliveryContent | 'gone' | 'claim lost'> {
  if (claim.content) return claim.content;
  const representation = await describeDomainEvent(ports, webhook, delivery.domainEvent);
  if (!representation) return 'gone';
  const content = { guid: newGuid(ports), payload: JSON.stringify(representation) };
  const stored = await ports.database.write((sql) => storePayload(sql, claim, content));
  return stored ? content : 'claim lost';
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
