import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { repositoryLane } from '../../model/repository.ts';
import { requiredWebhook } from '../required-webhook.ts';
import { acceptedToChange, mayChangeWebhooks } from '../webhook-policies.ts';
import { representWebhookConfig } from '../webhook-json.ts';
import { updateWebhook } from '../webhook-store.ts';
import { readWebhookWish, webhookConfig } from '../webhook-input.ts';

export const updateWebhookConfig = repositoryEndpoint({
  operation: 'repos/update-webhook-config-for-repo',
  method: 'PATCH',
  path: '/repos/:owner/:repo/hooks/:hook_id/config',
  docs: 'repos#update-a-webhook-configuration-for-a-repository',
  acceptedScopes: acceptedToChange,
  need: mayChangeWebhooks,
  body: webhookConfig,
  async handle({ path, body, now }, { repository }, { database, settings }) {
    const former = await database.read((sql) => requiredWebhook(sql, repository.id, path.hook_id));
    // Whether its address may be sent to is asked of the network: before the transaction.
    const words = await readWebhookWish({ config: body }, former, settings.webhookPrivateTargets);
    const webhook = await database.write(
      async (sql) => {
        const present = await requiredWebhook(sql, repository.id, path.hook_id);
        const { url, contentType, secret, insecureSsl } = words;
        const changed = { ...present, url, contentType, secret, insecureSsl };
        return updateWebhook(sql, present, changed, now);
      },
      { lane: repositoryLane(repository.id) },
    );
    return ok(representWebhookConfig(webhook));
  },
});
