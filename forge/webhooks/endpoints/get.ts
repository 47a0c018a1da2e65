import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { requiredWebhook } from '../required-webhook.ts';
import { acceptedToSee, maySeeWebhooks } from '../webhook-policies.ts';
import { representWebhook } from '../webhook-json.ts';

export const getWebhook = repositoryEndpoint({
  operation: 'repos/get-webhook',
  method: 'GET',
  path: '/repos/:owner/:repo/hooks/:hook_id',
  docs: 'repos#get-a-repository-webhook',
  acceptedScopes: acceptedToSee,
  need: maySeeWebhooks,
  async handle({ path, urls }, { repository }, { database }) {
    const webhook = await database.read((sql) => requiredWebhook(sql, repository.id, path.hook_id));
    return ok(representWebhook(webhook, repository, urls));
  },
});
