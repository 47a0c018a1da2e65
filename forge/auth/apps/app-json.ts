import { representAccount } from '../../accounts/account-json.ts';
import { type Json, timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import type { Urls } from '../../json/urls.ts';
import type { App, AppHook, Installation } from '../../model/app.ts';

type Representation = { [field: string]: Json };

/** `GET /apps/:app_slug` and what embeds an App. */
export function representApp(app: App, urls: Urls): Representation {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    client_id: app.clientId,
    owner: representAccount(app.owner, urls),
    name: app.name,
    description: app.description,
    external_url: app.externalUrl,
    html_url: urls.appHtml(app.slug),
    created_at: timestamp(app.createdAt),
    updated_at: timestamp(app.updatedAt),
    permissions: { ...app.permissions },
    events: app.events,
  };
}

export function representInstallation(installation: Installation, urls: Urls): Representation {
  const { id, account } = installation;
  return {
    id,
    account: representAccount(account, urls),
    repository_selection: installation.repositorySelection,
    access_tokens_url: urls.api(`/app/installations/${id}/access_tokens`),
    repositories_url: urls.api('/installation/repositories'),
    html_url: urls.web(`/apps/${installation.appSlug}/installations/new`),
    app_id: installation.appId,
    app_slug: installation.appSlug,
    client_id: installation.clientId,
    target_id: account.id,
    target_type: account.kind === 'organization' ? 'Organization' : 'User',
    permissions: { ...installation.permissions },
    events: installation.events,
    created_at: timestamp(installation.createdAt),
    updated_at: timestamp(installation.updatedAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: timestamp(installation.suspendedAt),
  };
}

/** The secret is masked, as that of other webhooks. */
export function representAppHook(hook: Omit<AppHook, 'id'>): Representation {
  return {
    content_type: hook.contentType,
    insecure_ssl: hook.insecureSsl ? '1' : '0',
    ...(hook.url === null ? {} : { url: hook.url }),
    ...(hook.secret === null ? {} : { secret: '********' }),
  };
}
