import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { accepted } from '../../http/reply.ts';
import { deliverAgain } from '../delivery-store.ts';
import { requiredDelivery } from '../required-webhook.ts';
import { acceptedToChange, mayChangeWebhooks } from '../webhook-policies.ts';

export const redeliverWebhook = repositoryEndpoint({
  operation: 'repos/redeliver-webhook-delivery',
  method: 'POST',
  path: '/repos/:owner/:repo/hooks/:hook_id/deliveries/:delivery_id/attempts',
  docs: 'repos#redeliver-a-delivery-for-a-repository-webhook',
  acceptedScopes: acceptedToChange,
  need: mayChangeWebhooks,
  async handle({ path, now }, { repository }, { database }) {
    await database.write(async (sql) => {
      const delivery = await requiredDelivery(sql, repository.id, path);
      await deliverAgain(sql, delivery.id, now);
    });
    return accepted({});
  },
});
