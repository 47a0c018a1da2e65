import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { representDelivery } from '../delivery-json.ts';
import { requiredDelivery, requiredWebhook } from '../required-webhook.ts';
import { acceptedToSee, maySeeWebhooks } from '../webhook-policies.ts';

export const getWebhookDelivery = repositoryEndpoint({
  operation: 'repos/get-webhook-delivery',
  method: 'GET',
  path: '/repos/:owner/:repo/hooks/:hook_id/deliveries/:delivery_id',
  docs: 'repos#get-a-delivery-for-a-repository-webhook',
  acceptedScopes: acceptedToSee,
  need: maySeeWebhooks,
  async handle({ path }, { repository }, { database }) {
    return database.read(async (sql) => {
      const webhook = await requiredWebhook(sql, repository.id, path.hook_id);
      return ok(representDelivery(await requiredDelivery(sql, repository.id, path), webhook));
    });
  },
});
