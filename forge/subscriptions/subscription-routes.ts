import Type from 'typebox';

import { representAccount } from '../accounts/account-json.ts';
import { accountPage } from '../accounts/account-list-store.ts';
import { findAccount } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { noContent, ok, page } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { acceptedForNotifications, maySubscribe } from '../notifications/visible-threads.ts';
import { listResponse } from '../repositories/list-response.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { viewerOf } from '../repositories/repository-filter.ts';
import {
  openEndpoint,
  repositoryEndpoint,
  userEndpoint,
  type Endpoint,
} from '../routing/endpoint.ts';
import {
  deleteSubscription,
  putSubscription,
  type RepositorySubscription,
  subscribersOf,
  subscriptionsOf,
} from './subscription-store.ts';

/** Who watches a repository, or ignores it: https://docs.github.com/rest/activity/watching */
export const subscriptionRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'activity/list-watchers-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/subscribers',
    docs: 'activity#list-watchers',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ page: bounds, urls }, { repository }, { database }) {
      const { entries, total } = await database.read((sql) =>
        accountPage(sql, subscribersOf(repository.id), bounds),
      );
      return page(
        entries.map(({ account }) => representAccount(account, urls)),
        total,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'activity/get-repo-subscription',
    method: 'GET',
    path: '/repos/:owner/:repo/subscription',
    docs: 'activity#get-a-repository-subscription',
    acceptedScopes: acceptedForNotifications,
    policy: maySubscribe,
    async handle({ caller, urls }, { repository }, { database }) {
      const { id } = repository;
      const own = await database.read((sql) => subscriptionsOf(sql, caller.account.id, [id]));
      const found = own.get(id);
      return found ? ok(representSubscription(found, repository, urls)) : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'activity/set-repo-subscription',
    method: 'PUT',
    path: '/repos/:owner/:repo/subscription',
    docs: 'activity#set-a-repository-subscription',
    acceptedScopes: acceptedForNotifications,
    policy: maySubscribe,
    body: Type.Object({
      subscribed: Type.Optional(nullable(Type.Boolean())),
      ignored: Type.Optional(nullable(Type.Boolean())),
    }),
    async handle({ body, caller, now, urls }, { repository }, { database }) {
      const of = { accountId: caller.account.id, repositoryId: repository.id };
      const ignored = body.ignored ?? false;
      const subscription = await writeRepository(database, repository.id, async (sql) => {
        if (ignored || body.subscribed !== false) return putSubscription(sql, of, ignored, now);
        await deleteSubscription(sql, of.accountId, of.repositoryId);
        return undefined;
      });
      const none = { ignored, createdAt: now };
      const shown = representSubscription(subscription ?? none, repository, urls);
      return ok(subscription ? shown : { ...shown, subscribed: false });
    },
  }),

  repositoryEndpoint({
    operation: 'activity/delete-repo-subscription',
    method: 'DELETE',
    path: '/repos/:owner/:repo/subscription',
    docs: 'activity#delete-a-repository-subscription',
    acceptedScopes: acceptedForNotifications,
    policy: maySubscribe,
    async handle({ caller }, { repository }, { database }) {
      await writeRepository(database, repository.id, (sql) =>
        deleteSubscription(sql, caller.account.id, repository.id),
      );
      return noContent();
    },
  }),

  userEndpoint({
    operation: 'activity/list-watched-repos-for-authenticated-user',
    method: 'GET',
    path: '/user/subscriptions',
    docs: 'activity#list-repositories-watched-by-the-authenticated-user',
    handle: (request, ports) =>
      listResponse(
        request,
        {
          viewer: viewerOf(request.caller),
          watchedBy: request.caller.account.id,
          ...newestFirst,
        },
        ports,
      ),
  }),

  openEndpoint({
    operation: 'activity/list-repos-watched-by-user',
    method: 'GET',
    path: '/users/:username/subscriptions',
    docs: 'activity#list-repositories-watched-by-a-user',
    async handle(request, ports) {
      const account = await ports.database.read((sql) => findAccount(sql, request.path.username));
      if (!account) return notFound();
      const viewer = viewerOf(request.caller);
      return listResponse(request, { viewer, watchedBy: account.id, ...newestFirst }, ports);
    },
  }),
];

const newestFirst = { sort: 'created', direction: 'desc' } as const;

function representSubscription(
  { ignored, createdAt }: RepositorySubscription,
  repository: Repository,
  urls: Urls,
): { [field: string]: Json } {
  const url = urls.repository(fullName(repository));
  return {
    subscribed: !ignored,
    ignored,
    reason: null,
    created_at: timestamp(createdAt),
    url: `${url}/subscription`,
    repository_url: url,
  };
}
