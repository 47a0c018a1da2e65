import type { Sql } from '#platform/database/database.ts';

import { representAppHook } from '../auth/apps/app-json.ts';
import { appById, updateAppHook } from '../auth/apps/app-store.ts';
import { notFound } from '../errors/api-error.ts';
import { mayStillReceive } from '../events/event-outbox-store.ts';
import { accepted, ok, page } from '../http/endpoint-result.ts';
import { type App, webhookSource } from '../model/app.ts';
import { appEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representDelivery, representDeliverySummary } from './delivery-json.ts';
import { deliverAgain, findDelivery, listDeliveries } from './delivery-store.ts';
import type { DeliveryDetails } from './delivery.ts';
import { changedBy, readWebhookInput, webhookConfig } from './webhook-input.ts';
import type { WebhookInput } from './webhook.ts';

/** The webhook of a GitHub App and its deliveries, for the App itself. */
export const appHookRoutes: readonly Endpoint[] = [
  appEndpoint({
    operation: 'apps/list-webhook-deliveries',
    method: 'GET',
    path: '/app/hook/deliveries',
    docs: 'apps#list-deliveries-for-an-app-webhook',
    async handle({ caller, page: bounds }, { database }) {
      const { deliveries, hasNext } = await database.read((sql) =>
        listDeliveries(sql, caller.app.hook.id, bounds),
      );
      return page(
        deliveries.map((delivery) => representDeliverySummary(delivery, webhookOf(caller.app))),
        { hasNext },
      );
    },
  }),

  appEndpoint({
    operation: 'apps/get-webhook-delivery',
    method: 'GET',
    path: '/app/hook/deliveries/:delivery_id',
    docs: 'apps#get-a-delivery-for-an-app-webhook',
    async handle({ path, caller }, { database }) {
      const delivery = await database.read((sql) => getDelivery(sql, caller.app, path.delivery_id));
      return ok(representDelivery(delivery, webhookOf(caller.app)));
    },
  }),

  appEndpoint({
    operation: 'apps/get-webhook-config-for-app',
    method: 'GET',
    path: '/app/hook/config',
    docs: 'apps#get-a-webhook-configuration-for-an-app',
    handle: async ({ caller }) => ok(representAppHook(caller.app.hook)),
  }),

  appEndpoint({
    operation: 'apps/redeliver-webhook-delivery',
    method: 'POST',
    path: '/app/hook/deliveries/:delivery_id/attempts',
    docs: 'apps#redeliver-a-delivery-for-an-app-webhook',
    async handle({ path, caller, now }, { database }) {
      await database.write(async (sql) => {
        const delivery = await getDelivery(sql, caller.app, path.delivery_id);
        await deliverAgain(sql, delivery.id, now);
      });
      return accepted({});
    },
  }),

  appEndpoint({
    operation: 'apps/update-webhook-config-for-app',
    method: 'PATCH',
    path: '/app/hook/config',
    docs: 'apps#update-a-webhook-configuration-for-an-app',
    body: webhookConfig,
    async handle({ body, caller, now }, ports) {
      const { app } = caller;
      // Validation of the URL may use DNS, so it runs before the transaction.
      const needsUrl = body.url !== undefined || app.hook.url !== null;
      const source = webhookSource(app);
      await readWebhookInput({ config: body }, inputOf(app), source, ports, needsUrl);
      const hook = await ports.database.write(async (sql) => {
        const present = (await appById(sql, app.id)) ?? notFound();
        const { url, contentType, secret, insecureSsl } = changedBy(
          { config: body },
          inputOf(present),
        );
        const next = { ...present.hook, url: url || null, contentType, secret, insecureSsl };
        await updateAppHook(sql, next, now);
        return next;
      });
      return ok(representAppHook(hook));
    },
  }),
];

/** Each installation has its own events. */
function inputOf({ hook }: App): WebhookInput {
  return { ...hook, url: hook.url ?? '', events: ['*'] };
}

function webhookOf({ id, hook }: App): Parameters<typeof representDelivery>[1] {
  return { target: { kind: 'app', appId: id }, url: hook.url ?? '' };
}

/** 404 also when the App may not see it any more. */
async function getDelivery(sql: Sql, { hook }: App, id: number): Promise<DeliveryDetails> {
  const delivery = (await findDelivery(sql, hook.id, id)) ?? notFound();
  return (await mayStillReceive(sql, delivery)) ? delivery : notFound();
}
