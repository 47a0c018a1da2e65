import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { findAccount } from '../accounts/account-store.ts';
import { loadVisibleOrganization } from '../accounts/organization-access.ts';
import { notFound } from '../errors/api-error.ts';
import { type ActivitySource, activitiesFrom } from '../events/activity-store.ts';
import { shownMilliseconds } from '../events/activity.ts';
import { pollSeconds, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Account } from '../model/account.ts';
import { type Caller, callerAccountId, isInstallation } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Ports } from '../ports/ports.ts';
import { authorizeRepository, mayRead, permissionsIn } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { openEndpoint, userEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { describeActivities, visibleActivities } from './describe-activities.ts';

/** What a list shows, of which the caller may see a part. */
interface Listed {
  readonly source: ActivitySource;
  readonly publicOnly: boolean;
}

/** The lists of events of several repositories: https://docs.github.com/rest/activity/events */
export const accountActivityRoutes: readonly Endpoint[] = [
  openEndpoint({
    operation: 'activity/list-public-events',
    method: 'GET',
    path: '/events',
    docs: 'activity#list-public-events',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async () => ({ source: { kind: 'everywhere' }, publicOnly: true })),
  }),

  openEndpoint({
    operation: 'activity/list-public-events-for-repo-network',
    method: 'GET',
    path: '/networks/:owner/:repo/events',
    docs: 'activity#list-public-events-for-a-network-of-repositories',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async (sql) => {
        const locator = { owner: request.path.owner, name: request.path.repo };
        const { networkId } = await authorizeRepository(sql, request.caller, locator, mayRead);
        return { source: { kind: 'network', networkId }, publicOnly: false };
      }),
  }),

  openEndpoint({
    operation: 'activity/list-public-org-events',
    method: 'GET',
    path: '/orgs/:org/events',
    docs: 'activity#list-public-organization-events',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async (sql) => {
        const { organization } = await loadVisibleOrganization(
          sql,
          request.caller,
          request.path.org,
        );
        return { source: { kind: 'owned', accountId: organization.id }, publicOnly: true };
      }),
  }),

  openEndpoint({
    operation: 'activity/list-events-for-authenticated-user',
    method: 'GET',
    path: '/users/:username/events',
    docs: 'activity#list-events-for-the-authenticated-user',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async (sql) => {
        const account = await accountOf(sql, request.path.username);
        return ofAccount('caused', account, request.caller);
      }),
  }),

  openEndpoint({
    operation: 'activity/list-public-events-for-user',
    method: 'GET',
    path: '/users/:username/events/public',
    docs: 'activity#list-public-events-for-a-user',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async (sql) => {
        const { id: accountId } = await accountOf(sql, request.path.username);
        return { source: { kind: 'caused', accountId }, publicOnly: true };
      }),
  }),

  /** For the user alone, as a member: what happens in the organization. */
  userEndpoint({
    operation: 'activity/list-org-events-for-authenticated-user',
    method: 'GET',
    path: '/users/:username/events/orgs/:org',
    docs: 'activity#list-organization-events-for-the-authenticated-user',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async (sql) => {
        const { path, caller } = request;
        const account = await accountOf(sql, path.username);
        const { organization, role } = await loadVisibleOrganization(sql, caller, path.org);
        if (account.id !== caller.account.id || role === undefined) return notFound();
        return { source: { kind: 'owned', accountId: organization.id }, publicOnly: false };
      }),
  }),

  openEndpoint({
    operation: 'activity/list-received-events-for-user',
    method: 'GET',
    path: '/users/:username/received_events',
    docs: 'activity#list-events-received-by-the-authenticated-user',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async (sql) => {
        const account = await accountOf(sql, request.path.username);
        return ofAccount('received', account, request.caller);
      }),
  }),

  openEndpoint({
    operation: 'activity/list-received-public-events-for-user',
    method: 'GET',
    path: '/users/:username/received_events/public',
    docs: 'activity#list-public-events-received-by-a-user',
    pageSizeFixed: true,
    handle: (request, ports) =>
      respond(request, ports, async (sql) => {
        const { id: accountId } = await accountOf(sql, request.path.username);
        return { source: { kind: 'received', accountId }, publicOnly: true };
      }),
  }),
];

async function accountOf(sql: Sql, login: string): Promise<Account> {
  return (await findAccount(sql, login)) ?? notFound();
}

/** Others see what is public. */
function ofAccount(kind: 'caused' | 'received', account: Account, caller: Caller): Listed {
  const source = { kind, accountId: account.id };
  return { source, publicOnly: callerAccountId(caller) !== account.id };
}

/** One page of a list, of those events that the caller may see. */
async function respond(
  { caller, page, urls, now }: RequestContext,
  { database }: Ports,
  list: (sql: Sql) => Promise<Listed>,
): Promise<EndpointResult> {
  return database.read(async (sql) => {
    const { source, publicOnly } = await list(sql);
    // Events describe issues, pulls and more, each of which takes a permission of its own in a private repository.
    const shown = {
      since: now - shownMilliseconds,
      publicOnly: publicOnly || isInstallation(caller),
    };
    const all = await activitiesFrom(sql, source, shown);
    const ids = all.map(({ repositoryId }) => repositoryId);
    const permissions = await permissionsIn(sql, caller, new Set(ids));
    const readable = all.filter(({ repositoryId }) =>
      atLeast(permissions.get(repositoryId) ?? 'none', 'read'),
    );
    const visible = await visibleActivities(sql, readable, caller);
    const onPage = visible.slice(page.offset, page.offset + page.size);
    const repositories = await repositoriesById(
      sql,
      onPage.map(({ repositoryId }) => repositoryId),
    );
    const latest = visible[0]?.createdAt;
    return {
      kind: 'json',
      status: 200,
      body: await describeActivities(sql, repositories, onPage, caller, urls),
      paging: { total: visible.length },
      pollSeconds,
      ...present({ lastModified: latest }),
    };
  });
}
