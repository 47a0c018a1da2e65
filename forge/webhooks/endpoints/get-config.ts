import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { requiredWebhook } from '../required-webhook.ts';
import { acceptedToSee, maySeeWebhooks } from '../webhook-policies.ts';
import { representWebhookConfig } from '../webhook-json.ts';

export const getWebhookConfig = repositoryEndpoint({
  operation: 'repos/get-webhook-config-for-repo',
  method: 'GET',
  path: '/repos/:owner/:repo/hooks/:hook_id/config',
  docs: 'repos#get-a-webhook-configuration-for-a-repository',
  acceptedScopes: acceptedToSee,
  need: maySeeWebhooks,
  async handle({ path }, { repository }, { database }) {
    const webhook = await database.read((sql) => requiredWebhook(sql, repository.id, path.hook_id));
    return ok(representWebhookConfig(webhook));
  },
});
