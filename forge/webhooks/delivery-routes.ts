import { page, ok, accepted } from '../http/endpoint-result.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representDeliverySummary, representDelivery } from './delivery-json.ts';
import { listDeliveries, deliverAgain } from './delivery-store.ts';
import {
  getWebhook,
  getDelivery,
  acceptedToSee,
  maySeeWebhooks,
  acceptedToChange,
  mayChangeWebhooks,
} from './webhook-access.ts';

/** The deliveries of a webhook. */
export const deliveryRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-webhook-deliveries',
    method: 'GET',
    path: '/repos/:owner/:repo/hooks/:hook_id/deliveries',
    docs: 'repos#list-deliveries-for-a-repository-webhook',
    acceptedScopes: acceptedToSee,
    policy: maySeeWebhooks,
    async handle({ path, page: bounds }, { repository }, { database }) {
      return database.read(async (sql) => {
        const webhook = await getWebhook(sql, repository.id, path.hook_id);
        const { deliveries, hasNext } = await listDeliveries(sql, webhook.id, bounds);
        return page(
          deliveries.map((delivery) => representDeliverySummary(delivery, webhook)),
          { hasNext },
        );
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-webhook-delivery',
    method: 'GET',
    path: '/repos/:owner/:repo/hooks/:hook_id/deliveries/:delivery_id',
    docs: 'repos#get-a-delivery-for-a-repository-webhook',
    acceptedScopes: acceptedToSee,
    policy: maySeeWebhooks,
    async handle({ path }, { repository }, { database }) {
      return database.read(async (sql) => {
        const webhook = await getWebhook(sql, repository.id, path.hook_id);
        return ok(representDelivery(await getDelivery(sql, repository.id, path), webhook));
      });
    },
  }),

  repositoryEndpoint({
    operation: 'repos/redeliver-webhook-delivery',
    method: 'POST',
    path: '/repos/:owner/:repo/hooks/:hook_id/deliveries/:delivery_id/attempts',
    docs: 'repos#redeliver-a-delivery-for-a-repository-webhook',
    acceptedScopes: acceptedToChange,
    policy: mayChangeWebhooks,
    async handle({ path, now }, { repository }, { database }) {
      await database.write(async (sql) => {
        const delivery = await getDelivery(sql, repository.id, path);
        await deliverAgain(sql, delivery.id, now);
      });
      return accepted({});
    },
  }),
];
