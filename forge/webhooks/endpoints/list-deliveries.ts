import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { representDeliverySummary } from '../delivery-json.ts';
import { listDeliveries } from '../delivery-store.ts';
import { requiredWebhook } from '../required-webhook.ts';
import { acceptedToSee, maySeeWebhooks } from '../webhook-policies.ts';

export const listWebhookDeliveries = repositoryEndpoint({
  operation: 'repos/list-webhook-deliveries',
  method: 'GET',
  path: '/repos/:owner/:repo/hooks/:hook_id/deliveries',
  docs: 'repos#list-deliveries-for-a-repository-webhook',
  acceptedScopes: acceptedToSee,
  need: maySeeWebhooks,
  async handle({ path, page: asked }, { repository }, { database }) {
    return database.read(async (sql) => {
      const webhook = await requiredWebhook(sql, repository.id, path.hook_id);
      const { deliveries, hasNext } = await listDeliveries(sql, webhook.id, asked);
      return page(
        deliveries.map((delivery) => representDeliverySummary(delivery, webhook)),
        { hasNext },
      );
    });
  },
});
