import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { repositoryLane } from '../../model/repository.ts';
import { requiredWebhook } from '../required-webhook.ts';
import { acceptedToChange, mayChangeWebhooks } from '../webhook-policies.ts';
import { representWebhook } from '../webhook-json.ts';
import { updateWebhook } from '../webhook-store.ts';
import { readWebhookWish, webhookConfig } from '../webhook-input.ts';

const eventList = Type.Optional(Type.Array(Type.String()));

export const updateWebhookEndpoint = repositoryEndpoint({
  operation: 'repos/update-webhook',
  method: 'PATCH',
  path: '/repos/:owner/:repo/hooks/:hook_id',
  docs: 'repos#update-a-repository-webhook',
  acceptedScopes: acceptedToChange,
  need: mayChangeWebhooks,
  body: Type.Object({
    config: Type.Optional(orNull(webhookConfig)),
    events: eventList,
    add_events: eventList,
    remove_events: eventList,
    active: Type.Optional(orNull(Type.Boolean())),
  }),
  async handle({ path, body, urls, now }, { repository }, { database, settings }) {
    const former = await database.read((sql) => requiredWebhook(sql, repository.id, path.hook_id));
    const { add_events: more = [], remove_events: fewer = [] } = body;
    const events = [...new Set([...(body.events ?? former.events), ...more])];
    const asked = { ...body, events: events.filter((event) => !fewer.includes(event)) };
    const words = await readWebhookWish(asked, former, settings.webhookPrivateTargets);
    const webhook = await database.write(
      async (sql) => {
        const present = await requiredWebhook(sql, repository.id, path.hook_id);
        return updateWebhook(sql, present, words, now);
      },
      { lane: repositoryLane(repository.id) },
    );
    return ok(representWebhook(webhook, repository, urls));
  },
});
