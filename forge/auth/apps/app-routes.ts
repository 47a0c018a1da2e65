import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../../accounts/account-store.ts';
import { notFound } from '../../errors/api-error.ts';
import { created, noContent, ok, page } from '../../http/endpoint-result.ts';
import { caseless } from '../../model/account.ts';
import type { App, Installation } from '../../model/app.ts';
import type { Caller } from '../../model/caller.ts';
import { ownsApp, suspendInstallation, uninstallApp } from './install-app.ts';
import { appEndpoint, type Endpoint, openEndpoint } from '../../routing/endpoint.ts';
import { representApp, representInstallation } from './app-json.ts';
import { appBySlug } from './app-store.ts';
import { createAppOfCode } from './create-app.ts';
import {
  findInstallation,
  installationInRepository,
  installationOnAccount,
  listInstallations,
} from './installation-store.ts';

/** GitHub Apps: what they are, and where they are installed. */
export const appRoutes: readonly Endpoint[] = [
  appEndpoint({
    operation: 'apps/list-installations',
    method: 'GET',
    path: '/app/installations',
    docs: 'apps#list-installations-for-the-authenticated-app',
    async handle({ caller, page: bounds, urls }, { database }) {
      const { installations, total } = await database.read((sql) =>
        listInstallations(sql, caller.app.id, bounds),
      );
      return page(
        installations.map((installation) => representInstallation(installation, urls)),
        total,
      );
    },
  }),

  appEndpoint({
    operation: 'apps/get-authenticated',
    method: 'GET',
    path: '/app',
    docs: 'apps#get-the-authenticated-app',
    async handle({ caller, urls }, { database }) {
      const { app } = caller;
      const { total } = await database.read((sql) =>
        listInstallations(sql, app.id, { offset: 0, size: 1 }),
      );
      return ok({ ...representApp(app, urls), installations_count: total });
    },
  }),

  /** Only below /api/v3: at the root, this is the page of the App. */
  openEndpoint({
    operation: 'apps/get-by-slug',
    method: 'GET',
    path: '/apps/:app_slug',
    paths: ['/api/v3/apps/:app_slug'],
    docs: 'apps#get-an-app',
    async handle({ path, caller, urls }, { database }) {
      return database.read(async (sql) => {
        const app = (await appBySlug(sql, caseless(path.app_slug))) ?? notFound();
        return (await maySeeApp(sql, caller, app)) ? ok(representApp(app, urls)) : notFound();
      });
    },
  }),

  appEndpoint({
    operation: 'apps/get-installation',
    method: 'GET',
    path: '/app/installations/:installation_id',
    docs: 'apps#get-an-installation-for-the-authenticated-app',
    async handle({ path, caller, urls }, { database }) {
      const found = await database.read((sql) =>
        findInstallation(sql, caller.app.id, path.installation_id),
      );
      return found ? ok(representInstallation(found, urls)) : notFound();
    },
  }),

  appEndpoint({
    operation: 'apps/get-repo-installation',
    method: 'GET',
    path: '/repos/:owner/:repo/installation',
    paths: ['/api/v3/repos/:owner/:repo/installation'],
    docs: 'apps#get-a-repository-installation-for-the-authenticated-app',
    async handle({ path, caller, urls }, { database }) {
      const found = await database.read((sql) =>
        installationInRepository(sql, caller.app.id, caseless(path.owner), caseless(path.repo)),
      );
      return found ? ok(representInstallation(found, urls)) : notFound();
    },
  }),

  appEndpoint({
    operation: 'apps/get-user-installation',
    method: 'GET',
    path: '/users/:username/installation',
    docs: 'apps#get-a-user-installation-for-the-authenticated-app',
    async handle({ path, caller, urls }, { database }) {
      const found = await database.read((sql) =>
        installationOn(sql, caller.app.id, path.username, 'user'),
      );
      return ok(representInstallation(found, urls));
    },
  }),

  appEndpoint({
    operation: 'apps/get-org-installation',
    method: 'GET',
    path: '/orgs/:org/installation',
    docs: 'apps#get-an-organization-installation-for-the-authenticated-app',
    async handle({ path, caller, urls }, { database }) {
      const found = await database.read((sql) =>
        installationOn(sql, caller.app.id, path.org, 'organization'),
      );
      return ok(representInstallation(found, urls));
    },
  }),

  /** The code gives the secrets of the App, so it works once. */
  openEndpoint({
    operation: 'apps/create-from-manifest',
    method: 'POST',
    path: '/app-manifests/:code/conversions',
    docs: 'apps#create-a-github-app-from-a-manifest',
    async handle({ path, urls }, ports) {
      const { app, privateKey, clientSecret } = await createAppOfCode(ports, path.code);
      const secrets = {
        client_secret: clientSecret,
        webhook_secret: app.hook.secret,
        pem: privateKey,
      };
      return created({ ...representApp(app, urls), ...secrets }, urls.api(`/apps/${app.slug}`));
    },
  }),

  appEndpoint({
    operation: 'apps/delete-installation',
    method: 'DELETE',
    path: '/app/installations/:installation_id',
    docs: 'apps#delete-an-installation-for-the-authenticated-app',
    async handle({ path, caller, now }, { database }) {
      const change = { appId: caller.app.id, id: path.installation_id, actorId: null, now };
      const deleted = await database.write((sql) => uninstallApp(sql, change));
      return deleted ? noContent() : notFound();
    },
  }),

  suspension(true, {
    operation: 'apps/suspend-installation',
    method: 'PUT',
    docs: 'apps#suspend-an-app-installation',
  }),

  suspension(false, {
    operation: 'apps/unsuspend-installation',
    method: 'DELETE',
    docs: 'apps#unsuspend-an-app-installation',
  }),
];

function suspension(
  isSuspended: boolean,
  declaration: {
    readonly operation: string;
    readonly method: 'PUT' | 'DELETE';
    readonly docs: string;
  },
): Endpoint {
  return appEndpoint({
    ...declaration,
    path: '/app/installations/:installation_id/suspended',
    async handle({ path, caller, now }, { database }) {
      const change = { appId: caller.app.id, id: path.installation_id, actorId: null, now };
      const found = await database.write((sql) => suspendInstallation(sql, change, isSuspended));
      return found ? noContent() : notFound();
    },
  });
}

/** A private App is known to itself, its installations and its owner. */
async function maySeeApp(sql: Sql, caller: Caller, app: App): Promise<boolean> {
  if (app.public) return true;
  if (caller.kind === 'app') return caller.app.id === app.id;
  if (caller.kind !== 'user') return false;
  if (caller.installation) return caller.installation.appId === app.id;
  return ownsApp(sql, caller.account.id, app);
}

async function installationOn(
  sql: Sql,
  appId: number,
  login: string,
  kind: 'user' | 'organization',
): Promise<Installation> {
  const account = await findAccount(sql, login);
  if (account?.kind !== kind) return notFound();
  return (await installationOnAccount(sql, appId, account.id)) ?? notFound();
}
