import Type from 'typebox';

import { invalid, notFound } from '../errors/api-error.ts';
import { emitEventTo } from '../events/event-outbox-store.ts';
import { branchRef, noObject, parseBranchName } from '../git/names.ts';
import { page, ok, created, noContent } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { callerAccountId } from '../model/caller.ts';
import { fullName, repositoryQueue } from '../model/repository.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import {
  getWebhook,
  acceptedToSee,
  maySeeWebhooks,
  acceptedToChange,
  mayChangeWebhooks,
  mayDeleteWebhooks,
} from './webhook-access.ts';
import {
  changedBy,
  readWebhookInput,
  requireEvents,
  webhookConfig,
  webhooksMax,
} from './webhook-input.ts';
import { representWebhook, representWebhookConfig } from './webhook-json.ts';
import { webhooksOf, insertWebhook, updateWebhook, deleteWebhook } from './webhook-store.ts';
import type { WebhookInput } from './webhook.ts';

const plain: WebhookInput = {
  url: '',
  contentType: 'form',
  secret: null,
  insecureSsl: false,
  active: true,
  events: ['push'],
};

const eventList = Type.Optional(Type.Array(Type.String()));

/** The webhooks of a repository, and their deliveries. */
export const webhookRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-webhooks',
    method: 'GET',
    path: '/repos/:owner/:repo/hooks',
    docs: 'repos#list-repository-webhooks',
    acceptedScopes: acceptedToSee,
    policy: maySeeWebhooks,
    async handle({ page: input, urls }, { repository }, { database }) {
      const webhooks = await database.read((sql) => webhooksOf(sql, repository.id));
      const shown = webhooks.slice(input.offset, input.offset + input.size);
      return page(
        shown.map((webhook) => representWebhook(webhook, repository, urls)),
        webhooks.length,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-webhook',
    method: 'GET',
    path: '/repos/:owner/:repo/hooks/:hook_id',
    docs: 'repos#get-a-repository-webhook',
    acceptedScopes: acceptedToSee,
    policy: maySeeWebhooks,
    async handle({ path, urls }, { repository }, { database }) {
      const webhook = await database.read((sql) => getWebhook(sql, repository.id, path.hook_id));
      return ok(representWebhook(webhook, repository, urls));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/create-webhook',
    method: 'POST',
    path: '/repos/:owner/:repo/hooks',
    docs: 'repos#create-a-repository-webhook',
    acceptedScopes: acceptedToChange,
    policy: mayChangeWebhooks,
    body: Type.Object({
      name: Type.Optional(nullable(Type.String())),
      config: Type.Optional(nullable(webhookConfig)),
      events: Type.Optional(Type.Array(Type.String())),
      active: Type.Optional(nullable(Type.Boolean())),
    }),
    async handle({ body, caller, urls, now }, { repository }, ports) {
      const { database } = ports;
      if ((body.name ?? 'web') !== 'web') {
        invalid({ resource: 'Hook', field: 'name', code: 'custom', message: 'name must be web' });
      }
      const input = await readWebhookInput(body, plain, fullName(repository), ports);
      const webhook = await database.write(
        async (sql) => {
          const others = await webhooksOf(sql, repository.id);
          if (others.length >= webhooksMax) refuseOneMore();
          if (others.some((other) => isSame(other, input))) refuseTaken();
          const inserted = await insertWebhook(sql, repository.id, input, now);
          const ping = { event: 'ping', actorId: callerAccountId(caller) } as const;
          await emitEventTo(sql, inserted.id, ping, now);
          return inserted;
        },
        { queue: repositoryQueue(repository.id) },
      );
      return created(
        representWebhook(webhook, repository, urls),
        urls.webhook(fullName(repository), webhook.id),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update-webhook',
    method: 'PATCH',
    path: '/repos/:owner/:repo/hooks/:hook_id',
    docs: 'repos#update-a-repository-webhook',
    acceptedScopes: acceptedToChange,
    policy: mayChangeWebhooks,
    body: Type.Object({
      config: Type.Optional(nullable(webhookConfig)),
      events: eventList,
      add_events: eventList,
      remove_events: eventList,
      active: Type.Optional(nullable(Type.Boolean())),
    }),
    async handle({ path, body, urls, now }, { repository }, ports) {
      const { database } = ports;
      const former = await database.read((sql) => getWebhook(sql, repository.id, path.hook_id));
      // Validation of the URL may use DNS, so it runs before the transaction.
      await readWebhookInput(body, former, fullName(repository), ports);
      const webhook = await database.write(
        async (sql) => {
          const present = await getWebhook(sql, repository.id, path.hook_id);
          const input = changedBy(body, present);
          requireEvents(input);
          return updateWebhook(sql, repository.id, present, input, now);
        },
        { queue: repositoryQueue(repository.id) },
      );
      return ok(representWebhook(webhook, repository, urls));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-webhook',
    method: 'DELETE',
    path: '/repos/:owner/:repo/hooks/:hook_id',
    docs: 'repos#delete-a-repository-webhook',
    acceptedScopes: 'admin:repo_hook, public_repo, repo',
    policy: mayDeleteWebhooks,
    async handle({ path }, { repository }, { database }) {
      const deleted = await database.write(
        (sql) => deleteWebhook(sql, repository.id, path.hook_id),
        {
          queue: repositoryQueue(repository.id),
        },
      );
      return deleted ? noContent() : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-webhook-config-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/hooks/:hook_id/config',
    docs: 'repos#get-a-webhook-configuration-for-a-repository',
    acceptedScopes: acceptedToSee,
    policy: maySeeWebhooks,
    async handle({ path }, { repository }, { database }) {
      const webhook = await database.read((sql) => getWebhook(sql, repository.id, path.hook_id));
      return ok(representWebhookConfig(webhook));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update-webhook-config-for-repo',
    method: 'PATCH',
    path: '/repos/:owner/:repo/hooks/:hook_id/config',
    docs: 'repos#update-a-webhook-configuration-for-a-repository',
    acceptedScopes: acceptedToChange,
    policy: mayChangeWebhooks,
    body: webhookConfig,
    async handle({ path, body, now }, { repository }, ports) {
      const { database } = ports;
      const former = await database.read((sql) => getWebhook(sql, repository.id, path.hook_id));
      await readWebhookInput({ config: body }, former, fullName(repository), ports);
      const webhook = await database.write(
        async (sql) => {
          const present = await getWebhook(sql, repository.id, path.hook_id);
          const input = changedBy({ config: body }, present);
          return updateWebhook(sql, repository.id, present, input, now);
        },
        { queue: repositoryQueue(repository.id) },
      );
      return ok(representWebhookConfig(webhook));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/ping-webhook',
    method: 'POST',
    path: '/repos/:owner/:repo/hooks/:hook_id/pings',
    docs: 'repos#ping-a-repository-webhook',
    acceptedScopes: acceptedToSee,
    policy: maySeeWebhooks,
    async handle({ path, caller, now }, { repository }, { database }) {
      await database.write(async (sql) => {
        const webhook = await getWebhook(sql, repository.id, path.hook_id);
        await emitEventTo(
          sql,
          webhook.id,
          { event: 'ping', actorId: callerAccountId(caller) },
          now,
        );
      });
      return noContent();
    },
  }),

  /** Sends the latest push to the default branch again, if the webhook subscribes to pushes. */
  repositoryEndpoint({
    operation: 'repos/test-push-webhook',
    method: 'POST',
    path: '/repos/:owner/:repo/hooks/:hook_id/tests',
    docs: 'repos#test-the-push-repository-webhook',
    acceptedScopes: acceptedToSee,
    policy: maySeeWebhooks,
    async handle({ path, caller, now }, { repository }, { database, git: allGit }) {
      const webhook = await database.read((sql) => getWebhook(sql, repository.id, path.hook_id));
      const git = allGit.repository(repository.id);
      const branch = parseBranchName(repository.defaultBranch);
      const after = branch && (await git.readRef(branchRef(branch)));
      const input = webhook.events.some((event) => event === 'push' || event === '*');
      if (!branch || !after || !input) return noContent();
      const before = (await git.readCommit(after))?.parents[0] ?? noObject;
      const actorId = callerAccountId(caller);
      const push = { event: 'push', ref: branchRef(branch), before, after, actorId } as const;
      await database.write((sql) => emitEventTo(sql, webhook.id, push, now));
      return noContent();
    },
  }),

  ...deliveryRoutes,
];

/** A second webhook with the same URL and events would receive everything twice. */
function isSame(one: WebhookInput, other: WebhookInput): boolean {
  return one.url === other.url && eventKey(one) === eventKey(other);
}

function eventKey({ events }: WebhookInput): string {
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
