import { type Json, timestamp } from '../json/json-values.ts';
import type { DeliveryDetails, DeliverySummary } from './delivery.ts';
import type { Webhook } from './webhook.ts';

type Representation = { [field: string]: Json };

/** The representation of a delivery in lists, with the result of its last attempt. */
export function representDeliverySummary(
  delivery: DeliverySummary,
  { target }: Pick<Webhook, 'target'>,
): Representation {
  const { outcome } = delivery;
  return {
    id: delivery.id,
    guid: delivery.guid ?? '',
    delivered_at: timestamp(outcome?.at ?? null),
    redelivery: delivery.redelivery,
    duration: (outcome?.milliseconds ?? 0) / 1000,
    status: outcome?.status ?? 'pending',
    status_code: outcome?.code ?? 0,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: target.kind === 'repository' ? target.repositoryId : delivery.repositoryId,
    throttled_at: null,
  };
}

export function representDelivery(
  delivery: DeliveryDetails,
  webhook: Pick<Webhook, 'target' | 'url'>,
): Representation {
  const { outcome } = delivery;
  const payload: Json = JSON.parse(delivery.payload ?? 'null');
  return {
    ...representDeliverySummary(delivery, webhook),
    url: webhook.url,
    request: { headers: outcome?.requestHeaders ?? null, payload },
    response: {
      headers: outcome?.responseHeaders ?? null,
      payload: outcome?.responseBody ?? null,
    },
  };
}
