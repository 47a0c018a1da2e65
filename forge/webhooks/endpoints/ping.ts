import { callerAccountId } from '../../model/caller.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { emitEventTo } from '../../events/event-outbox-store.ts';
import { requiredWebhook } from '../required-webhook.ts';
import { acceptedToSee, maySeeWebhooks } from '../webhook-policies.ts';

export const pingWebhook = repositoryEndpoint({
  operation: 'repos/ping-webhook',
  method: 'POST',
  path: '/repos/:owner/:repo/hooks/:hook_id/pings',
  docs: 'repos#ping-a-repository-webhook',
  acceptedScopes: acceptedToSee,
  need: maySeeWebhooks,
  async handle({ path, caller, now }, { repository }, { database }) {
    await database.write(async (sql) => {
      const webhook = await requiredWebhook(sql, repository.id, path.hook_id);
      await emitEventTo(sql, webhook.id, { event: 'ping', actorId: callerAccountId(caller) }, now);
    });
    return noContent();
  },
});
