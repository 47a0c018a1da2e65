import type { Sql } from '#platform/database/database.ts';

import { memberRole } from '../../accounts/account-store.ts';
import { type FieldError, invalid, refuse } from '../../errors/api-error.ts';
import { type Account, caseless } from '../../model/account.ts';
import type { App, Installation } from '../../model/app.ts';
import {
  installationOnAccount,
  putInstallation,
  repositoriesOfAccount,
} from './installation-store.ts';

/** As many as GitHub takes in one request. */
export const repositoriesMax = 500;

/**
 * Installs an App on an account, with its present permissions and events, or replaces the installation.
 * @param names of repositories of the account; all of them, also future ones, without names.
 */
export async function installApp(
  sql: Sql,
  app: App,
  account: Account,
  names: readonly string[] | 'all',
  now: number,
): Promise<Installation> {
  if (!app.public && account.id !== app.owner.id) {
    refuse({
      kind: 'forbidden',
      message: `${app.name} is private: only ${app.owner.login} can install it.`,
    });
  }
  const repositoryIds = names === 'all' ? [] : await namedRepositories(sql, account, names);
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
  return installation;
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
  if (keys.length === 0 || keys.length > repositoriesMax) {
    return invalid(repositoryError(`must name 1 to ${repositoriesMax} repositories`));
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
