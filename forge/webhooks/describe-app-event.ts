import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../accounts/account-json.ts';
import { accountsById } from '../accounts/account-store.ts';
import { representInstallation } from '../auth/apps/app-json.ts';
import { appById } from '../auth/apps/app-store.ts';
import type { Json } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { AppEvent, InstalledRepository } from '../model/app-event.ts';
import { representPing } from './payload-json.ts';
import { representAppWebhook } from './webhook-json.ts';
import type { Webhook } from './webhook.ts';

type Representation = { [field: string]: Json };

/** The payload of what happened to an installation. */
export async function describeAppEvent(
  sql: Sql,
  domainEvent: AppEvent,
  urls: Urls,
): Promise<Representation> {
  const { action, installation, actorId } = domainEvent;
  const actor = actorId === null ? undefined : (await accountsById(sql, [actorId])).get(actorId);
  return {
    action,
    installation: representInstallation(installation, urls),
    ...repositoriesOf(domainEvent),
    requester: null,
    // Receivers rely on a sender, so the account stands for an unknown actor.
    sender: representAccount(actor ?? installation.account, urls),
  };
}

function repositoriesOf(domainEvent: AppEvent): Representation {
  if (domainEvent.event === 'installation') {
    const { repositories } = domainEvent;
    return repositories === undefined ? {} : { repositories: repositories.map(representInstalled) };
  }
  return {
    repository_selection: domainEvent.installation.repositorySelection,
    repositories_added: domainEvent.added.map(representInstalled),
    repositories_removed: domainEvent.removed.map(representInstalled),
  };
}

function representInstalled(repository: InstalledRepository): Representation {
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: repository.fullName,
    private: repository.private,
  };
}

/** The payload of the first delivery of an App. It has no sender. */
export async function describeAppPing(
  sql: Sql,
  webhook: Webhook,
  appId: number,
  urls: Urls,
): Promise<Representation | undefined> {
  const app = await appById(sql, appId);
  return app && representPing(representAppWebhook(webhook, app, urls), webhook.id);
}

/** What payloads of an App say of its installation. */
export function representInstallationOf(installationId: number | null): Representation {
  if (installationId === null) return {};
  const node = nodeId('IntegrationInstallation', installationId);
  return { installation: { id: installationId, node_id: node } };
}
