import { isDeepStrictEqual } from 'node:util';

import type { Sql } from '#platform/database/database.ts';

import { memberRole } from '../../accounts/account-store.ts';
import { type FieldError, invalid, refuse } from '../../errors/api-error.ts';
import { emitAppEvent } from '../../events/event-outbox-store.ts';
import { type Account, caseless } from '../../model/account.ts';
import type { App, Installation } from '../../model/app.ts';
import type { InstalledRepository } from '../../model/app-event.ts';
import {
  deleteInstallation,
  findInstallation,
  installationOnAccount,
  putInstallation,
  updateSuspension,
} from './installation-store.ts';
import { installedRepositories, repositoriesOfAccount } from './installed-repository-store.ts';

/** Repositories that a request for an installation, or a token, names; as many as on GitHub. */
export const installedRepositoriesMax = 500;

interface InstallRequest {
  readonly app: App;
  readonly account: Account;
  /** Of repositories of the account; `all`: all of them, also future ones. */
  readonly names: readonly string[] | 'all';
  readonly actorId: number | null;
  readonly now: number;
}

/**
 * Installs an App on an account, with its present permissions and events, or replaces the installation. The App is sent what this
 * changes.
 */
export async function installApp(sql: Sql, request: InstallRequest): Promise<Installation> {
  const { app, account, names, actorId, now } = request;
  if (!app.public && account.id !== app.owner.id) {
    refuse({
      kind: 'forbidden',
      message: `${app.name} is private: only ${app.owner.login} can install it.`,
    });
  }
  const repositoryIds = names === 'all' ? [] : await namedRepositories(sql, account, names);
  const former = await installationOnAccount(sql, app.id, account.id);
  const formerRepositories = former ? await installedRepositories(sql, former) : [];
  await putInstallation(sql, {
    appId: app.id,
    accountId: account.id,
    repositorySelection: names === 'all' ? 'all' : 'selected',
    repositoryIds,
    permissions: app.permissions,
    events: app.events,
    now,
  });
  const installation = await installationOnAccount(sql, app.id, account.id);
  if (!installation) throw new Error('the new installation was not found');
  const repositories = await installedRepositories(sql, installation);
  if (!former) {
    const created = { event: 'installation', action: 'created', installation } as const;
    await emitAppEvent(sql, { ...created, repositories, actorId }, now);
    return installation;
  }
  if (!isDeepStrictEqual(former.permissions, installation.permissions)) {
    const accepted = { event: 'installation', action: 'new_permissions_accepted' } as const;
    await emitAppEvent(sql, { ...accepted, installation, actorId }, now);
  }
  const added = without(repositories, formerRepositories);
  const removed = without(formerRepositories, repositories);
  const changed = { event: 'installation_repositories', installation, actorId } as const;
  if (added.length > 0) {
    await emitAppEvent(sql, { ...changed, action: 'added', added, removed: [] }, now);
  }
  if (removed.length > 0) {
    await emitAppEvent(sql, { ...changed, action: 'removed', added: [], removed }, now);
  }
  return installation;
}

/** Ends an installation and its tokens. false if the App has no such installation. */
export async function uninstallApp(
  sql: Sql,
  { appId, id, actorId, now }: InstallationChange,
): Promise<boolean> {
  const installation = await findInstallation(sql, appId, id);
  if (!installation) return false;
  const repositories = await installedRepositories(sql, installation);
  await deleteInstallation(sql, appId, id);
  const deleted = { event: 'installation', action: 'deleted', installation } as const;
  await emitAppEvent(sql, { ...deleted, repositories, actorId }, now);
  return true;
}

/** Takes an installation its access, or returns it. false if the App has no such installation. */
export async function suspendInstallation(
  sql: Sql,
  { appId, id, actorId, now }: InstallationChange,
  suspended: boolean,
): Promise<boolean> {
  const before = await findInstallation(sql, appId, id);
  if (!before) return false;
  if ((before.suspendedAt !== null) === suspended) return true;
  const installation = { ...before, suspendedAt: suspended ? now : null };
  await updateSuspension(sql, installation);
  const action = suspended ? 'suspend' : 'unsuspend';
  await emitAppEvent(sql, { event: 'installation', action, installation, actorId }, now);
  return true;
}

interface InstallationChange {
  readonly appId: number;
  readonly id: number;
  readonly actorId: number | null;
  readonly now: number;
}

function without(
  all: readonly InstalledRepository[],
  others: readonly InstalledRepository[],
): InstalledRepository[] {
  const ids = new Set(others.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id));
}

/** Whether a user is the owner of an App, or owns the organization that is. */
export async function ownsApp(sql: Sql, userId: number, { owner }: App): Promise<boolean> {
  return owner.id === userId || (await memberRole(sql, owner.id, userId)) === 'admin';
}

async function namedRepositories(
  sql: Sql,
  account: Account,
  names: readonly string[],
): Promise<number[]> {
  const keys = [...new Set(names.map(caseless))];
  if (keys.length === 0 || keys.length > installedRepositoriesMax) {
    return invalid(repositoryError(`must name 1 to ${installedRepositoriesMax} repositories`));
  }
  const found = await repositoriesOfAccount(sql, account.id, { names: keys, ids: [] });
  const missing = keys.filter((key) => !found.some(({ nameKey }) => nameKey === key));
  if (missing.length > 0) {
    const message = `name repositories that ${account.login} does not have: ${missing.join(', ')}`;
    return invalid(repositoryError(message));
  }
  return found.map(({ id }) => id);
}

function repositoryError(problem: string): FieldError {
  return {
    resource: 'Installation',
    field: 'repositories',
    code: 'custom',
    message: `repositories ${problem}`,
  };
}
