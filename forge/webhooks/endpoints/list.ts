import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page } from '../../http/reply.ts';
import { acceptedToSee, maySeeWebhooks } from '../webhook-policies.ts';
import { representWebhook } from '../webhook-json.ts';
import { webhooksOf } from '../webhook-store.ts';

export const listWebhooks = repositoryEndpoint({
  operation: 'repos/list-webhooks',
  method: 'GET',
  path: '/repos/:owner/:repo/hooks',
  docs: 'repos#list-repository-webhooks',
  acceptedScopes: acceptedToSee,
  need: maySeeWebhooks,
  async handle({ page: asked, urls }, { repository }, { database }) {
    const webhooks = await database.read((sql) => webhooksOf(sql, repository.id));
    const shown = webhooks.slice(asked.offset, asked.offset + asked.size);
    return page(
      shown.map((webhook) => representWebhook(webhook, repository, urls)),
      webhooks.length,
    );
  },
});
