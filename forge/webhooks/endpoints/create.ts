import Type from 'typebox';

import { callerAccountId } from '../../model/caller.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName, repositoryLane } from '../../model/repository.ts';
import { emitEventTo } from '../../events/event-outbox-store.ts';
import { acceptedToChange, mayChangeWebhooks } from '../webhook-policies.ts';
import { representWebhook } from '../webhook-json.ts';
import { insertWebhook, webhooksOf } from '../webhook-store.ts';
import { readWebhookWish, webhookConfig, webhooksMax } from '../webhook-input.ts';
import type { WebhookWords } from '../webhook.ts';

const plain: WebhookWords = {
  url: '',
  contentType: 'form',
  secret: null,
  insecureSsl: false,
  active: true,
  events: ['push'],
};

export const createWebhook = repositoryEndpoint({
  operation: 'repos/create-webhook',
  method: 'POST',
  path: '/repos/:owner/:repo/hooks',
  docs: 'repos#create-a-repository-webhook',
  acceptedScopes: acceptedToChange,
  need: mayChangeWebhooks,
  body: Type.Object({
    name: Type.Optional(orNull(Type.String())),
    config: Type.Optional(orNull(webhookConfig)),
    events: Type.Optional(Type.Array(Type.String())),
    active: Type.Optional(orNull(Type.Boolean())),
  }),
  async handle({ body, caller, urls, now }, { repository }, { database, settings }) {
    if ((body.name ?? 'web') !== 'web') {
      invalid({ resource: 'Hook', field: 'name', code: 'custom', message: 'name must be web' });
    }
    const words = await readWebhookWish(body, plain, settings.webhookPrivateTargets);
    const webhook = await database.write(
      async (sql) => {
        const others = await webhooksOf(sql, repository.id);
        if (others.length >= webhooksMax) refuseOneMore();
        if (others.some((other) => isSame(other, words))) refuseTaken();
        const inserted = await insertWebhook(sql, repository.id, words, now);
        const ping = { event: 'ping', actorId: callerAccountId(caller) } as const;
        await emitEventTo(sql, inserted.id, ping, now);
        return inserted;
      },
      { lane: repositoryLane(repository.id) },
    );
    return created(
      representWebhook(webhook, repository, urls),
      urls.webhook(fullName(repository), webhook.id),
    );
  },
});

/** The same address asked for the same events would be told everything twice. */
function isSame(one: WebhookWords, other: WebhookWords): boolean {
  return one.url === other.url && eventKey(one) === eventKey(other);
}

function eventKey({ events }: WebhookWords): string {
  return [...new Set(events)].toSorted().join();
}

function refuseTaken(): never {
  const message = 'Hook already exists on this repository';
  return invalid({ resource: 'Hook', code: 'custom', message });
}

function refuseOneMore(): never {
  const message = `A repository has no more than ${webhooksMax} hooks`;
  return invalid({ resource: 'Hook', code: 'custom', message });
}
